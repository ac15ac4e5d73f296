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
type claimQueries struct {
	take, next string
	kinds      []any
	fair       *ownerQueries // instead of take, when the kind is shared among owners
	suspects   bool          // takes suspects, one at a time
}

// vanished is a row whose process ended: its lease ran out, and neither was it
// given up in peace nor is it this process's own. A safe one is simply taken over.
const vanished = `state = 'running' AND NOT safe AND holder <> '' AND holder <> $3`

// takeRows is the second half of every claim, for rows that the first calls c. A
// job whose process ended is not run but becomes a suspect. It may never have
// begun, so the attempt is given back.
const takeRows = `
	UPDATE stoa_jobs SET
		state = CASE WHEN ` + vanished + ` THEN 'suspect' ELSE 'running' END,
		deaths = CASE WHEN ` + vanished + ` THEN deaths + 1 ELSE deaths END,
		attempt = CASE WHEN state <> 'running' THEN attempt + 1 WHEN ` + vanished + ` THEN attempt - 1 ELSE attempt END,
		claim_at = CASE WHEN ` + vanished + ` THEN $1 ELSE $4 END,
		holder = $3
	WHERE seq IN (SELECT seq FROM c)
	RETURNING ` + claimColumns

const claimColumns = `seq, kind, payload, key, owner, asked, due, enqueued, attempt, max_attempts, state, deaths, alone`

func newClaimQueries(kinds []string, skipLocked string) *claimQueries {
	t := &claimQueries{}
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
			ORDER BY claim_at, seq LIMIT $2)` + takeRows
	t.next = `
		SELECT claim_at FROM (` + eachKind(1, len(kinds), `
			SELECT claim_at FROM stoa_jobs
			WHERE kind = `, ` AND state IN ('ready', 'running') ORDER BY claim_at, seq LIMIT 1`) + `) AS upcoming
		ORDER BY claim_at LIMIT 1`
	return t
}

// newTrialText takes one suspect: first those that most processes ended with. One
// that was alone when its process ended stays a suspect; it is not run again.
func newSuspectQueries(kinds []string, skipLocked string) *claimQueries {
	t := newClaimQueries(kinds, skipLocked)
	t.suspects = true
	t.take = `
		WITH c AS (
			SELECT seq FROM stoa_jobs
			WHERE state = 'suspect' AND claim_at <= $1 AND kind IN (` + database.Placeholders(5, len(kinds)) + `)
			ORDER BY alone DESC, deaths DESC, claim_at, seq LIMIT 1` + skipLocked + `)
		UPDATE stoa_jobs SET
			state = CASE WHEN alone THEN 'suspect' ELSE 'running' END,
			attempt = CASE WHEN alone THEN attempt ELSE attempt + 1 END,
			alone = CASE WHEN alone THEN alone ELSE $2 END,
			holder = $3, claim_at = $4
		WHERE seq IN (SELECT seq FROM c)
		RETURNING ` + claimColumns
	t.next = `
		SELECT claim_at FROM stoa_jobs
		WHERE state = 'suspect' AND kind IN (` + database.Placeholders(1, len(kinds)) + `) ORDER BY claim_at LIMIT 1`
	return t
}

// eachKind joins the answers of one query per kind, whose parameter stands
// between its two halves.
func eachKind(first, n int, before, after string) string {
	queries := make([]string, n)
	for i := range queries {
		queries[i] = `SELECT * FROM (` + before + database.Placeholders(first+i, 1) + after + `) AS of_kind`
	}
	return strings.Join(queries, ` UNION ALL `)
}

// claim claims up to n due jobs and returns them in due order, and apart from
// them those whose process ended.
func (t *claimQueries) claim(ctx context.Context, tx *database.Tx, r *cycle, a *claimRequest) (found claimed, err error) {
	if len(t.kinds) == 0 || a.n <= 0 {
		return found, nil
	}
	var bound any = a.n
	if t.suspects {
		bound = a.alone
	}
	args := append([]any{database.Time(r.now), bound, r.holder, database.Time(r.lease)}, t.kinds...)
	rows, err := database.All(ctx, tx, scanClaim, t.take, args...)
	found.add(rows)
	return found, err
}

// claimed is what a claim found.
type claimed struct {
	jobs     []*claim
	suspects []*claim // their processes ended
	more     bool     // there may be more that is due
}

func (f *claimed) add(rows []*claim) {
	for _, c := range rows {
		if c.state == Suspect {
			f.suspects = append(f.suspects, c)
		} else {
			f.jobs = append(f.jobs, c)
		}
	}
	slices.SortFunc(f.jobs, func(a, b *claim) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.seq, b.seq))
	})
}

func scanClaim(s database.Scanner) (*claim, error) {
	c := &claim{}
	err := s.Scan(&c.seq, &c.Kind, &c.payload, &c.Key, &c.Owner, database.ScanTime(&c.Asked), database.ScanTime(&c.Due),
		database.ScanTime(&c.Enqueued), &c.Attempt, &c.MaxAttempts, &c.state, &c.deaths, &c.alone)
	c.ID = formatID(c.seq)
	return c, err
}

// upcoming is when the next job of these kinds can be claimed; the far future
// when there is none.
func (t *claimQueries) upcoming(ctx context.Context, q database.Querier) (time.Time, error) {
	if len(t.kinds) == 0 {
		return database.MaxTime(), nil
	}
	return orMaxTime(database.One(ctx, q, scanTime, t.next, t.kinds...))
}

func scanTime(s database.Scanner) (t time.Time, err error) {
	err = s.Scan(database.ScanTime(&t))
	return t, err
}

// extendLeases moves the end of the leases of these jobs and returns which of
// them this process still holds.
func extendLeases(ctx context.Context, tx *database.Tx, holder string, lease time.Time, seqs []int64) (map[int64]bool, error) {
	kept := make(map[int64]bool, len(seqs))
	for _, part := range database.Chunks(seqs) {
		rows, err := database.All(ctx, tx, scanSeq, `
			UPDATE stoa_jobs SET claim_at = $1
			WHERE state = 'running' AND holder = $2 AND seq IN (`+database.Placeholders(3, len(part))+`)
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

// accuseOthers makes the running jobs of all other processes suspects, except
// what is safe or was given up in peace: that is due.
func suspectOthers(ctx context.Context, tx *database.Tx, holder string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET claim_at = $1, holder = '',
			state = CASE WHEN safe OR holder = '' THEN 'running' ELSE 'suspect' END,
			deaths = CASE WHEN safe OR holder = '' THEN deaths ELSE deaths + 1 END,
			attempt = CASE WHEN safe OR holder = '' THEN attempt ELSE attempt - 1 END
		WHERE state = 'running' AND holder <> $2`, database.Time(now), holder)
	return err
}

// forgive takes back what was counted against jobs when their leases ran out: the
// process that held them lives.
func uncountDeaths(ctx context.Context, tx *database.Tx, holder string, seqs []int64) error {
	for _, part := range database.Chunks(seqs) {
		_, err := tx.Exec(ctx, `
			UPDATE stoa_jobs SET deaths = deaths - 1
			WHERE deaths > 0 AND holder <> $1 AND seq IN (`+database.Placeholders(2, len(part))+`)`, append([]any{holder}, part...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// disown gives up the jobs of a process that ends in peace although they do not:
// their leases run out without counting against them.
func disown(ctx context.Context, tx *database.Tx, holder string) error {
	_, err := tx.Exec(ctx, `UPDATE stoa_jobs SET holder = '' WHERE state = 'running' AND holder = $1`, holder)
	return err
}
