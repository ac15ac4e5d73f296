package jobs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// claimText is the statements that take jobs of a fixed set of kinds. They are
// written once, when the set is known.
type claimText struct {
	take, next string
	kinds      []any
}

func newClaimText(kinds []string, skipLocked string) *claimText {
	t := &claimText{}
	slices.Sort(kinds)
	for _, k := range kinds {
		t.kinds = append(t.kinds, k)
	}
	// Each kind is asked by itself: in one list of all, a kind would be looked
	// for behind the backlog of the others. The rows are picked in a WITH query
	// because PostgreSQL may run a plain subquery more than once, which would
	// take more rows than asked for.
	t.take = `
		WITH c AS (
			SELECT seq FROM (` + eachKind(5, len(kinds), `
				SELECT seq, claim_at FROM stoa_jobs
				WHERE kind = `, ` AND state IN ('ready', 'running') AND claim_at <= $1
				ORDER BY claim_at, seq LIMIT $2`+skipLocked) + `) AS due
			ORDER BY claim_at, seq LIMIT $2)
		UPDATE stoa_jobs SET state = 'running', holder = $3, claim_at = $4, attempt = attempt + 1
		WHERE seq IN (SELECT seq FROM c)
		RETURNING seq, kind, version, payload, key, owner, asked, due, enqueued, attempt, max_attempts`
	t.next = `
		SELECT claim_at FROM (` + eachKind(1, len(kinds), `
			SELECT claim_at FROM stoa_jobs
			WHERE kind = `, ` AND state IN ('ready', 'running') ORDER BY claim_at, seq LIMIT 1`) + `) AS upcoming
		ORDER BY claim_at LIMIT 1`
	return t
}

// eachKind joins the answers of one query per kind, whose parameter stands
// between its two halves.
func eachKind(first, n int, before, after string) string {
	queries := names(first, n)
	for i, parameter := range queries {
		queries[i] = `SELECT * FROM (` + before + parameter + after + `) AS of_kind`
	}
	return strings.Join(queries, ` UNION ALL `)
}

// claim claims up to n due jobs, among them those whose lease has run out, and
// returns them in due order.
func (t *claimText) claim(ctx context.Context, tx *database.Tx, holder string, now, lease time.Time, n int) ([]*claim, error) {
	if len(t.kinds) == 0 || n <= 0 {
		return nil, nil
	}
	args := append([]any{database.Time(now), n, holder, database.Time(lease)}, t.kinds...)
	claims, err := database.All(ctx, tx, scanClaim, t.take, args...)
	slices.SortFunc(claims, func(a, b *claim) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.seq, b.seq))
	})
	return claims, err
}

func scanClaim(s database.Scanner) (*claim, error) {
	c := &claim{}
	err := s.Scan(&c.seq, &c.Kind, &c.version, &c.payload, &c.Key, &c.Owner, database.ScanTime(&c.Asked), database.ScanTime(&c.Due),
		database.ScanTime(&c.Enqueued), &c.Attempt, &c.MaxAttempts)
	c.ID = formatID(c.seq)
	return c, err
}

// upcoming is when the next job of these kinds can be claimed; the far future
// when there is none.
func (t *claimText) upcoming(ctx context.Context, q database.Querier) (time.Time, error) {
	if len(t.kinds) == 0 {
		return never(), nil
	}
	return orNever(database.One(ctx, q, scanTime, t.next, t.kinds...))
}

func scanTime(s database.Scanner) (t time.Time, err error) {
	err = s.Scan(database.ScanTime(&t))
	return t, err
}

// extendLeases moves the end of the leases of these jobs and returns which of
// them this process still holds.
func extendLeases(ctx context.Context, tx *database.Tx, holder string, lease time.Time, seqs []int64) (map[int64]bool, error) {
	kept := make(map[int64]bool, len(seqs))
	for _, part := range chunks(seqs) {
		rows, err := database.All(ctx, tx, scanSeq, `
			UPDATE stoa_jobs SET claim_at = $1
			WHERE state = 'running' AND holder = $2 AND seq IN (`+part.list(3)+`)
			RETURNING seq`, append([]any{database.Time(lease), holder}, part...)...)
		if err != nil {
			return nil, err
		}
		for _, seq := range rows {
			kept[seq] = true
		}
	}
	return kept, nil
}

func scanSeq(s database.Scanner) (seq int64, err error) {
	err = s.Scan(&seq)
	return seq, err
}

// releaseOthers makes the running jobs of all other processes due now.
func releaseOthers(ctx context.Context, tx *database.Tx, holder string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET claim_at = $1 WHERE state = 'running' AND holder <> $2 AND claim_at > $1`,
		database.Time(now), holder)
	return err
}
