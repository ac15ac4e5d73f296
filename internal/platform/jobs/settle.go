package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// settleBatch is how many jobs Settle claims in one transaction.
const settleBatch = 32

// Settle runs, in due order and one at a time, every job and schedule that is
// due now, and what those enqueue, until nothing due is left. It needs no
// started workers; where there are some, it helps them and waits for theirs. A
// job must not call it.
func (q *Queue) Settle(ctx context.Context) error {
	_, err := q.settle(ctx)
	return err
}

// settle also returns when the next job or schedule is due.
func (q *Queue) settle(ctx context.Context) (next time.Time, err error) {
	var outcomes []outcome
	var ran int             // of the outcomes that this queue still holds
	var schedules time.Time // when the next one fires, once known
	for {
		before := q.heldJobs()
		now := q.clock.Now()
		r := &cycle{
			now: now, outcomes: outcomes, rewind: q.rewound(now), placeFresh: true, fire: !schedules.After(now),
			requests: q.settleRequests(before.jobs > ran),
		}
		// Outcomes are written even when ctx has ended: they happened.
		if ctx.Err() != nil {
			r.placeFresh, r.fire, r.requests = false, false, nil
		}
		moved, err := q.perform(context.WithoutCancel(ctx), r)
		if err != nil {
			return next, err
		}
		if moved {
			before.changes++ // by this cycle itself
		}
		if len(r.requests) == 0 {
			return next, ctx.Err()
		}
		if r.fire {
			schedules = r.fired
		}
		for _, o := range r.poisoned {
			q.logPoison(o)
		}
		outcomes, ran = r.poisoned, 0
		if claims := append(r.requests[0].claims, r.requests[1].claims...); len(claims) > 0 {
			outcomes = append(outcomes, q.runAll(ctx, claims)...)
			ran = len(claims)
			continue
		}
		if r.unplaced || r.suspects || len(outcomes) > 0 {
			continue
		}
		if done, err := q.awaitOthers(ctx, before); done || err != nil {
			return earlier(earlier(r.requests[0].next, r.requests[1].next), schedules), err
		}
	}
}

// settleAsks ask for one suspect, alone unless workers run something, and for a
// batch of other jobs. The suspect runs first, and while others of the batch are
// claimed none of them has begun.
func (q *Queue) settleRequests(busy bool) []*claimRequest {
	return []*claimRequest{
		{queries: q.claimSuspects(), n: 1, due: true, alone: !busy},
		{queries: q.claimAll(), n: settleBatch, due: true},
	}
}

// runAll runs claimed jobs one after the other while their leases are kept.
func (q *Queue) runAll(ctx context.Context, claims []*claim) []outcome {
	beat, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for clock.Sleep(beat, q.clock, q.opts.Lease/3) == nil {
			q.extend(beat)
		}
	}()
	defer func() {
		cancel()
		<-ended
	}()
	outcomes := make([]outcome, 0, len(claims))
	for _, c := range claims {
		if ctx.Err() != nil {
			outcomes = append(outcomes, outcome{claim: c, verdict: released})
			continue
		}
		outcomes = append(outcomes, q.attempt(ctx, c))
	}
	return outcomes
}

// awaitOthers is called when a cycle found nothing to claim. Everything is done
// if nothing is held or being claimed, and was not while the cycle looked;
// otherwise a job that ended may have left work behind, or will.
func (q *Queue) awaitOthers(ctx context.Context, before heldJobs) (done bool, err error) {
	now := q.heldJobs()
	switch {
	case before.changes != now.changes:
		return false, ctx.Err()
	case now.jobs == 0 && now.cycles == 0:
		return true, nil
	}
	select {
	case <-now.changed:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// allKinds is the claim of every registered kind.
func (q *Queue) claimAll() *claimQueries {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.allClaims == nil {
		names := make([]string, 0, len(q.kinds))
		for name := range q.kinds {
			names = append(names, name)
		}
		q.allClaims = newClaimQueries(names, q.db.ForUpdateSkipLocked())
	}
	return q.allClaims
}

// allTrials is the claim of a suspect of every registered kind.
func (q *Queue) claimSuspects() *claimQueries {
	kinds := q.claimAll().kinds
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.suspectClaims == nil {
		names := make([]string, 0, len(kinds))
		for _, k := range kinds {
			names = append(names, k.(string))
		}
		q.suspectClaims = newSuspectQueries(names, q.db.ForUpdateSkipLocked())
	}
	return q.suspectClaims
}

// NextDue is when the next job or schedule is due, which may be in the past;
// not ok means that there is none.
func (q *Queue) NextDue(ctx context.Context) (at time.Time, ok bool, err error) {
	job, err := q.claimAll().upcoming(ctx, q.db)
	if err != nil {
		return time.Time{}, false, err
	}
	schedule, err := q.nextSchedule(ctx, q.db)
	if err != nil {
		return time.Time{}, false, err
	}
	suspect, err := q.claimSuspects().upcoming(ctx, q.db)
	if err != nil {
		return time.Time{}, false, err
	}
	at = earlier(earlier(job, suspect), schedule)
	if fresh, err := freshJobs(ctx, q.db); err != nil || len(fresh) > 0 {
		// Only a cycle can tell when these are due.
		return earlier(at, q.clock.Now()), true, err
	}
	return at, at.Before(database.MaxTime()), nil
}

// AdvanceTo moves a virtual clock to t, stopping at every due time on the way
// and settling there, so that nothing runs later than it asked for.
func (q *Queue) AdvanceTo(ctx context.Context, v *clock.Virtual, t time.Time) error {
	for {
		at, err := q.settle(ctx)
		if err != nil {
			return err
		}
		if at.After(t) {
			break
		}
		if at.After(v.Now()) {
			v.Set(at)
		}
	}
	if t.After(v.Now()) {
		v.Set(t)
	}
	return q.Settle(ctx)
}
