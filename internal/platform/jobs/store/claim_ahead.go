package store

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/leases"
)

// claimTerms say what is claimed: what is due by a time, in due order up to a bound, and
// until when.
type claimTerms struct {
	by    time.Time
	bound any
	lease time.Time
}

// reachAhead lets a claim take jobs that are due later, up to c.Until, if nothing else is
// claimed. Their leases end after the last of them is due. On SQLite it claims them itself,
// as a batch.
func (q *Queries) reachAhead(
	ctx context.Context, tx *database.Tx, c *Cycle, r *Request, take *claimTerms,
) (held []*Claim, err error) {
	until := c.Until
	for _, other := range c.Requests {
		if c.reach == 0 || len(other.Claims) > 0 {
			return nil, nil
		}
		if other != r && other.Next.Before(until) {
			until = other.Next
		}
	}
	seqs, err := q.ahead.Find(ctx, tx, until, c.reach)
	if err != nil {
		return nil, err
	}
	jobs, err := listPlain(ctx, tx, seqs)
	if err != nil || len(jobs) < 2 {
		return nil, err
	}
	last := jobs[len(jobs)-1].Due
	*take = claimTerms{by: last, bound: len(jobs), lease: c.Lease.Add(max(last.Sub(c.Now), 0))}
	if tx.Engine() != database.SQLite {
		return nil, nil
	}
	b := leases.Batch{Holder: c.Holder, Lease: take.lease}
	for _, j := range jobs {
		j.Attempt++
		j.batched = true
		b.Seqs = append(b.Seqs, j.Seq)
	}
	return jobs, leases.Put(ctx, tx, b)
}

// listPlain gives the first of these jobs, in their order, up to one whose place depends on
// what runs before it: of a lane, or joined by others, or held.
func listPlain(ctx context.Context, tx *database.Tx, seqs []int64) (jobs []*Claim, err error) {
	found := make(map[int64]*Claim, len(seqs))
	for _, part := range database.Chunks(seqs) {
		rows, err := database.All(ctx, tx, scanClaim, `
			SELECT `+claimColumns+` FROM stoa_jobs
			WHERE state || '' = 'ready' AND key || dedupe = '' AND seq IN (`+database.Placeholders(1, len(part))+`)`, part...)
		if err != nil {
			return nil, err
		}
		for _, j := range rows {
			found[j.Seq] = j
		}
	}
	for _, seq := range seqs {
		if found[seq] == nil {
			break
		}
		jobs = append(jobs, found[seq])
	}
	return jobs, nil
}
