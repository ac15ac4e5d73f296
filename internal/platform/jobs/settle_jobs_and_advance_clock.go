package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/ahead"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// settleBatch is how many jobs Settle claims in one transaction.
const settleBatch = 32

// Settle runs, in due order and one at a time, every job and schedule that is
// due now, and what those enqueue, until nothing due is left. It needs no
// started workers; where there are some, it helps them and waits for theirs. A
// job must not call it.
func (q *Queue) Settle(ctx context.Context) error {
	_, err := q.settle(ctx, nil)
	if d := q.dispatcher(); d != nil {
		d.ExpectAll() // retries and further jobs may be left
	}
	return err
}

// settle also returns when the next job or schedule is due. Where it is given a
// walk, it goes on by it instead of ending when nothing is due.
func (q *Queue) settle(ctx context.Context, walk *ahead.Walk) (next time.Time, err error) {
	var outcomes []store.Outcome
	var ran int             // of the outcomes that this queue still holds
	var schedules time.Time // when the next one fires, once known
	if walk != nil {
		schedules = database.MaxTime()
	}
	for {
		before := q.heldJobs()
		now := q.clock.Now()
		c := &store.Cycle{
			Now: now, Outcomes: outcomes, Rewind: q.rewound(now), PlaceFresh: true, Fire: !schedules.After(now),
			Requests: q.settleRequests(before.jobs > ran), LookFirst: true,
		}
		stuck := q.mayStep(ctx, c, before.jobs == ran && before.cycles == 0, walk)
		// Outcomes are written even when ctx has ended: they happened.
		if stuck != nil || ctx.Err() != nil {
			c.PlaceFresh, c.Fire, c.Requests = false, false, nil
		}
		moved, err := q.perform(context.WithoutCancel(ctx), c)
		if err != nil {
			q.beginCycle() // what was not written is let go of; its leases end by themselves
			q.endCycle(&store.Cycle{Outcomes: outcomes}, true)
			return next, err
		}
		if moved {
			before.changes++ // by this cycle itself
		}
		if len(c.Requests) == 0 {
			return next, errors.Join(stuck, ctx.Err())
		}
		if c.Fire {
			schedules = c.Fired
		}
		for _, o := range c.Poisoned {
			q.logPoison(ctx, o)
		}
		outcomes, ran = c.Poisoned, 0
		if claims := append(c.Requests[0].Claims, c.Requests[1].Claims...); len(claims) > 0 {
			outcomes = append(outcomes, q.runAll(ctx, claims, walk)...)
			ran = len(claims)
			continue
		}
		if c.Unplaced || c.Suspects || len(outcomes) > 0 {
			continue
		}
		done, err := q.awaitOthers(ctx, before)
		if done && err == nil {
			// What runs besides jobs may leave further ones behind.
			var waited bool
			waited, err = q.awaitWork(ctx)
			done = !waited
		}
		if done || err != nil {
			return earliest(c.Requests[0].Next, c.Requests[1].Next, schedules), err
		}
	}
}

// mayStep lets a cycle move the clock where nothing runs beside the caller, which might
// leave something that is due before. The cycle sees what arrived until here.
func (q *Queue) mayStep(ctx context.Context, c *store.Cycle, alone bool, walk *ahead.Walk) error {
	if walk == nil || !alone || ctx.Err() != nil {
		return nil
	}
	q.arrivals.Reset()
	waited, err := q.awaitWork(ctx)
	if !waited && err == nil {
		c.Step, c.Ahead, c.Until = walk.Step, walk.N(), walk.Until
	}
	return err
}

// settleRequests ask for one suspect, alone unless workers run something, and for a
// batch of other jobs. The suspect runs first, and while others of the batch are
// claimed none of them has begun.
func (q *Queue) settleRequests(busy bool) []*store.Request {
	kinds := q.queueKinds()
	return []*store.Request{
		{Queries: kinds.suspects, N: 1, Due: true, Alone: !busy},
		{Queries: kinds.claims, N: settleBatch, Due: true},
	}
}

// runAll runs claimed jobs one after the other while their leases are kept. Those that
// are not due yet it runs each at its time, and hands them back when others come between.
func (q *Queue) runAll(ctx context.Context, claims []*store.Claim, walk *ahead.Walk) []store.Outcome {
	beat := &leaseBeat{due: q.newLeaseTimer(claims[len(claims)-1].Due)}
	defer func() { beat.due.Stop(); beat.Close() }()
	outcomes := make([]store.Outcome, 0, len(claims))
	calm, ran := true, 0
	for _, c := range claims {
		if ctx.Err() != nil || !q.reach(ctx, c.Due, walk, calm) {
			outcomes = append(outcomes, store.Outcome{Claim: c, Verdict: store.VerdictReleased})
			continue
		}
		o := q.attempt(ctx, c, beat)
		calm = calm && o.Verdict == store.VerdictDone
		outcomes, ran = append(outcomes, o), ran+1
	}
	if walk != nil {
		walk.Ran(ran, calm && ran == len(claims) && q.arrivals.First().After(q.clock.Now()))
	}
	return outcomes
}

// reach moves the clock on to a job that was claimed ahead; false means that another may
// be due before it.
func (q *Queue) reach(ctx context.Context, due time.Time, walk *ahead.Walk, calm bool) bool {
	if walk == nil || !due.After(q.clock.Now()) {
		return true
	}
	if waited, err := q.awaitWork(ctx); waited || err != nil || !calm || !q.arrivals.First().After(due) {
		return false // where it was an error the next cycle meets it again
	}
	walk.Step(due)
	return true
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

// Await makes Settle wait for work that is not in the queue as well: wait returns
// when none of it runs, and whether some did. It is for labs.
func (q *Queue) Await(wait func(context.Context) (waited bool, err error)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.others = append(slices.Clone(q.others), wait)
}

// awaitWork waits for all that Await was told of.
func (q *Queue) awaitWork(ctx context.Context) (waited bool, err error) {
	q.mu.Lock()
	others := q.others
	q.mu.Unlock()
	for _, wait := range others {
		some, err := wait(ctx)
		if err != nil {
			return true, err
		}
		waited = waited || some
	}
	return waited, nil
}

// NextDue is when the next job is due, which may be in the past; not ok means that
// there is none. Schedules are left out: they tidy up, which can wait until a world
// that sleeps is asked.
func (q *Queue) NextDue(ctx context.Context) (at time.Time, ok bool, err error) {
	kinds := q.queueKinds()
	job, suspect := database.MaxTime(), database.MaxTime()
	empty, err := store.Empty(ctx, q.db)
	if err == nil && !empty {
		if job, err = kinds.claims.Next(ctx, q.db); err == nil {
			suspect, err = kinds.suspects.Next(ctx, q.db)
		}
	}
	if err != nil {
		return time.Time{}, false, err
	}
	at = earliest(job, suspect)
	if fresh, err := store.HasFresh(ctx, q.db); err != nil || fresh {
		// Only a cycle can tell when these are due.
		return earliest(at, q.clock.Now()), true, err
	}
	return at, at.Before(database.MaxTime()), nil
}

func earliest(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

// advance moves a virtual clock to t, stopping at every due time on the way
// and settling there, so that nothing runs later than it asked for.
func (q *Queue) advance(ctx context.Context, v *clock.Virtual, t time.Time, walk *ahead.Walk) error {
	for {
		at, err := q.settle(ctx, walk)
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
	_, err := q.settle(ctx, walk)
	return err
}

// AdvanceJobsTo moves a virtual clock to t. It stops at the due times of jobs, and
// every schedule fires once, at the end. A schedule looks by the clock for what is
// due, so that a thousand empty rounds would only take time. Workers claim nothing
// meanwhile: jobs run one after the other, in due order.
func (q *Queue) AdvanceJobsTo(ctx context.Context, v *clock.Virtual, t time.Time) error {
	q.walking.Store(true)
	err := q.advance(ctx, v, t, &ahead.Walk{Clock: v, Until: t})
	q.walking.Store(false)
	if settled := q.Settle(ctx); err == nil {
		err = settled
	}
	return err
}
