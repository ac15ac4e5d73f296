package store

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// ownerQueries are the statements that take jobs of one kind by owner. They walk from
// owner to owner by the index and never look at what lies behind an owner's first
// job, so that neither the length of a queue nor what one owner has beyond its
// share costs anything.
type ownerQueries struct {
	kind        string
	share       Share
	owners      string // some owners after one, with what they have
	takeReady   string // takes the first due rows of an owner
	takeExpired string // takes an owner's rows whose leases ran out
	next        string
	skipLocked  string
}

// ownersPage is how many owners one statement visits.
const ownersPage = 256

// maxExpired is how many jobs of one owner, whose leases ran out, one cycle takes.
const maxExpired = 32

func newOwnerQueries(k Kind, skipLocked string) *ownerQueries {
	const owned = ` FROM stoa_jobs j WHERE j.kind = $1 AND j.owner <> '' AND j.state <> 'dead'`
	due := func(state string) string {
		return `(SELECT j.seq` + owned + ` AND j.owner = o.owner AND j.state = '` + state + `' AND j.claim_at <= $3
			ORDER BY j.claim_at, j.seq LIMIT 1)`
	}
	take := func(state string) string {
		return `
			WITH c AS (
				SELECT seq FROM stoa_jobs
				WHERE kind = $5 AND owner = $6 AND owner <> '' AND state = '` + state + `' AND state <> 'dead' AND claim_at <= $1
				ORDER BY claim_at, seq LIMIT $2` + skipLocked + `)` + takeRows
	}
	return &ownerQueries{
		kind: k.Name, share: k.Share, skipLocked: skipLocked,
		owners: `
			WITH RECURSIVE o(owner, n) AS (
				SELECT * FROM (SELECT j.owner, 1` + owned + ` AND j.owner > $2 ORDER BY j.owner LIMIT 1) AS first_owner
				UNION ALL
				SELECT (SELECT j.owner` + owned + ` AND j.owner > o.owner ORDER BY j.owner LIMIT 1), o.n + 1
				FROM o WHERE o.owner IS NOT NULL AND o.n < $4)
			SELECT o.owner, COALESCE(` + due("ready") + `, 0), COALESCE(` + due("running") + `, 0)
			FROM o WHERE o.owner IS NOT NULL`,
		takeReady: take("ready"), takeExpired: take("running"),
		next: `
			SELECT claim_at FROM stoa_jobs
			WHERE kind = $1 AND state IN ('ready', 'running') AND claim_at > $2 ORDER BY claim_at, seq LIMIT 1`,
	}
}

// candidate is an owner who has something to claim.
type candidate struct {
	owner   string
	ready   int64 // its first due job, 0 when there is none
	expired int64 // a job whose lease ran out, 0 when there is none
	have    int   // jobs of it here
	limit   int   // jobs that it may have here
	want    int   // more to claim
}

// mayHave reports whether the candidate may have one more.
func (c *candidate) mayHave() bool { return c.ready != 0 && c.have+c.want < c.limit }

// candidates are owners below their share with due work, beginning behind the
// cursor: as many as there are, or at least n.
func (t *ownerQueries) candidates(
	ctx context.Context, q database.Querier, now time.Time, r *Request,
) (found []candidate, err error) {
	cursor := r.Cursor
	after, wrapped := cursor, cursor == ""
	for {
		page, err := database.All(ctx, q, scanCandidate, t.owners, t.kind, after, database.Time(now), ownersPage)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if wrapped && cursor != "" && c.owner > cursor {
				return found, nil // all around
			}
			c.have, c.limit = r.Owners[c.owner], t.share.Running+r.Ahead[c.owner]
			if c.expired != 0 || c.mayHave() {
				found = append(found, c)
			}
		}
		switch {
		case len(found) >= r.N:
			return found, nil
		case len(page) == ownersPage:
			after = page[len(page)-1].owner
		case wrapped:
			return found, nil
		default:
			after, wrapped = "", true
		}
	}
}

func scanCandidate(s database.Scanner) (c candidate, err error) {
	err = s.Scan(&c.owner, &c.ready, &c.expired)
	return c, err
}

// claim takes up to r.N due jobs: always of the owner that has the fewest here,
// among equals the one behind the cursor.
func (t *ownerQueries) claim(ctx context.Context, tx *database.Tx, c *Cycle, r *Request) (found claimed, err error) {
	candidates, err := t.candidates(ctx, tx, c.Now, r)
	if err != nil {
		return found, err
	}
	for _, o := range candidates {
		if o.expired != 0 {
			if err := t.take(ctx, tx, c, &found, t.takeExpired, maxExpired, t.kind, o.owner); err != nil {
				return found, err
			}
		}
	}
	// Those that have less than was asked for leave some to others.
	found.more = t.divide(candidates, r) == r.N
	var singles []int64
	for _, o := range candidates {
		switch {
		case o.want == 1:
			singles = append(singles, o.ready)
		case o.want > 1:
			if err := t.take(ctx, tx, c, &found, t.takeReady, o.want, t.kind, o.owner); err != nil {
				return found, err
			}
		}
	}
	for _, part := range database.Chunks(singles) {
		if err := t.take(ctx, tx, c, &found, t.takeThese(part), len(part), part...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// takeThese takes rows that were looked at, unless another process was faster.
func (t *ownerQueries) takeThese(part []any) string {
	return `
		WITH c AS (
			SELECT seq FROM stoa_jobs
			WHERE seq IN (` + database.Placeholders(5, len(part)) + `) AND state = 'ready' AND claim_at <= $1
			ORDER BY seq LIMIT $2` + t.skipLocked + `)` + takeRows
}

func (t *ownerQueries) take(
	ctx context.Context, tx *database.Tx, c *Cycle, found *claimed, text string, n int, args ...any,
) error {
	rows, err := database.All(ctx, tx, scanClaim, text,
		append([]any{database.Time(c.Now), n, c.Holder, database.Time(c.Lease)}, args...)...)
	found.add(rows)
	return err
}

// divide says how many jobs each candidate is to get, and how many that is.
func (t *ownerQueries) divide(candidates []candidate, r *Request) (asked int) {
	for asked < r.N {
		next := -1
		for i, c := range candidates {
			if c.mayHave() && (next < 0 || c.have+c.want < candidates[next].have+candidates[next].want) {
				next = i
			}
		}
		if next < 0 {
			return asked
		}
		candidates[next].want++
		r.Cursor = candidates[next].owner
		asked++
	}
	return asked
}

// upcoming is when the next job becomes due that is not yet.
func (t *ownerQueries) upcoming(ctx context.Context, q database.Querier, now time.Time) (time.Time, error) {
	return orMaxTime(database.One(ctx, q, scanTime, t.next, t.kind, database.Time(now)))
}
