package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/ahead"
)

// Queries are the statements that take jobs of a fixed set of kinds. They are
// written once, when the set is known.
type Queries struct {
	take, next string
	kinds      []any
	ahead      *ahead.Query  // of those that are due later
	byOwner    *ownerQueries // instead of take, when the kind is shared among owners
	suspects   bool          // takes suspects, one at a time
}

// ByOwner reports whether claims choose by owner.
func (q *Queries) ByOwner() bool { return q.byOwner != nil }

// MaxRunning is how many jobs of one owner may run here, for claims by owner.
func (q *Queries) MaxRunning() int { return q.byOwner.share.Running }

// Suspects reports whether suspects are claimed.
func (q *Queries) Suspects() bool { return q.suspects }

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

// NewQueries claims jobs of these kinds.
func NewQueries(db *database.DB, kinds ...string) *Queries {
	return newQueries(kinds, db.ForUpdateSkipLocked())
}

// NewOwnerQueries claims jobs of a kind with a share by owner.
func NewOwnerQueries(db *database.DB, k Kind) *Queries {
	q := NewQueries(db, k.Name)
	q.byOwner = newOwnerQueries(k, db.ForUpdateSkipLocked())
	return q
}

// NewSuspectQueries claims one suspect of these kinds: first those that most
// processes ended with. One that was alone when its process ended stays a
// suspect; it is not run again.
func NewSuspectQueries(db *database.DB, kinds ...string) *Queries {
	skipLocked := db.ForUpdateSkipLocked()
	q := newQueries(kinds, skipLocked)
	q.suspects = true
	q.take = `
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
	q.next = `
		SELECT claim_at FROM stoa_jobs
		WHERE state = 'suspect' AND kind IN (` + database.Placeholders(1, len(kinds)) + `) ORDER BY claim_at LIMIT 1`
	return q
}

func newQueries(kinds []string, skipLocked string) *Queries {
	kinds = slices.Sorted(slices.Values(kinds))
	q := &Queries{}
	for _, k := range kinds {
		q.kinds = append(q.kinds, k)
	}
	// Each kind is asked by itself: in one list of all, a kind would be looked
	// for behind the backlog of the others. The rows are picked in a WITH query
	// because PostgreSQL may run a plain subquery more than once, which would
	// take more rows than asked for.
	q.take = `
		WITH c AS (
			SELECT seq FROM (` + ahead.EachKind(5, len(kinds), `
				SELECT seq, claim_at FROM stoa_jobs
				WHERE kind = `, ` AND state IN ('ready', 'running') AND claim_at <= $1
				ORDER BY claim_at, seq LIMIT $2`+skipLocked) + `) AS due
			ORDER BY claim_at, seq LIMIT $2)` + takeRows
	q.next = `
		SELECT claim_at FROM (` + ahead.EachKind(1, len(kinds), `
			SELECT claim_at FROM stoa_jobs
			WHERE kind = `, ` AND state IN ('ready', 'running') ORDER BY claim_at, seq LIMIT 1`) + `) AS upcoming
		ORDER BY claim_at LIMIT 1`
	q.ahead = ahead.NewQuery(q.kinds)
	return q
}

// claim claims up to r.N due jobs and returns them in due order, and apart from
// them those whose process ended.
func (q *Queries) claim(ctx context.Context, tx *database.Tx, c *Cycle, r *Request) (found claimed, err error) {
	switch {
	case len(q.kinds) == 0 || r.N <= 0:
		return found, nil
	case q.byOwner != nil:
		return q.byOwner.claim(ctx, tx, c, r)
	}
	take := claimTerms{by: c.Now, bound: r.N, lease: c.Lease}
	if q.suspects {
		take.bound = r.Alone
	} else if held, err := q.reachAhead(ctx, tx, c, r, &take); held != nil || err != nil {
		return claimed{jobs: held}, err
	}
	args := append([]any{database.Time(take.by), take.bound, c.Holder, database.Time(take.lease)}, q.kinds...)
	rows, err := database.All(ctx, tx, scanClaim, q.take, args...)
	found.add(rows)
	return found, err
}

// claimed is what a claim found.
type claimed struct {
	jobs     []*Claim
	suspects []*Claim // their processes ended
	more     bool     // there may be more that is due
}

func (f *claimed) add(rows []*Claim) {
	for _, c := range rows {
		if c.state == Suspect {
			f.suspects = append(f.suspects, c)
		} else {
			f.jobs = append(f.jobs, c)
		}
	}
	slices.SortFunc(f.jobs, func(a, b *Claim) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Seq, b.Seq))
	})
}

func scanClaim(s database.Scanner) (*Claim, error) {
	c := &Claim{}
	err := s.Scan(&c.Seq, &c.Kind, &c.Payload, &c.Key, &c.Owner, database.ScanTime(&c.Asked), database.ScanTime(&c.Due),
		database.ScanTime(&c.Enqueued), &c.Attempt, &c.MaxAttempts, &c.state, &c.Deaths, &c.alone)
	c.ID = formatID(c.Seq)
	return c, err
}

// Next is when the next job of these kinds can be claimed, which may be in the
// past; MaxTime when there is none.
func (q *Queries) Next(ctx context.Context, db database.Querier) (time.Time, error) {
	if len(q.kinds) == 0 {
		return database.MaxTime(), nil
	}
	return orMaxTime(database.One(ctx, db, scanTime, q.next, q.kinds...))
}

// NextBelowShare is Next for claims by owner, of which owners have some already:
// what is due and beyond its owner's share cannot be claimed.
func (q *Queries) NextBelowShare(ctx context.Context, db database.Querier, now time.Time, owners map[string]int,
) (time.Time, error) {
	found, err := q.byOwner.candidates(ctx, db, now, &Request{N: 1, Owners: owners})
	if err != nil || len(found) > 0 {
		return now, err
	}
	return q.byOwner.upcoming(ctx, db, now)
}
