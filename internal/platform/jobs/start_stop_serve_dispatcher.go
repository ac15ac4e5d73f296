package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/dispatch"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// dispatched is a queue as its dispatcher sees it.
type dispatched struct{ q *Queue }

func (d dispatched) Perform(ctx context.Context, c *store.Cycle) error {
	if d.q.walking.Load() {
		return d.performWalking(ctx, c)
	}
	_, err := d.q.perform(ctx, c)
	return err
}

// performWalking writes what ended and leaves the rest to AdvanceJobsTo, which has
// the dispatcher look again when it has arrived.
func (d dispatched) performWalking(ctx context.Context, c *store.Cycle) error {
	fire, requests := c.Fire, c.Requests
	c.Fire, c.Requests = false, nil
	defer func() {
		c.Fire, c.Fired, c.Requests, c.Unplaced = fire, database.MaxTime(), requests, false
		for _, r := range requests {
			r.Looked, r.Claims, r.Next = true, nil, database.MaxTime()
		}
	}()
	if len(c.Outcomes) == 0 && !c.Rewind {
		return nil
	}
	_, err := d.q.perform(ctx, c)
	return err
}

func (d dispatched) Attempt(ctx context.Context, c *store.Claim) store.Outcome {
	return d.q.attempt(ctx, c, nil)
}
func (d dispatched) ExtendLeases(ctx context.Context)               { d.q.extendLeases(ctx) }
func (d dispatched) Rewound(now time.Time) bool                     { return d.q.rewound(now) }
func (d dispatched) LogPoison(ctx context.Context, o store.Outcome) { d.q.logPoison(ctx, o) }

func (d dispatched) NextSchedule(ctx context.Context) (time.Time, error) {
	return store.NextSchedule(ctx, d.q.db, d.q.queueKinds().all)
}

// Start begins to run jobs, at most workers at a time besides the kinds with a
// Concurrency of their own. When ctx ends, running jobs are interrupted and
// handed back; Stop is the gentle way.
func (q *Queue) Start(ctx context.Context, workers int) error {
	if workers < 1 {
		return fmt.Errorf("jobs: Start needs at least one worker, not %d", workers)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run != nil {
		return errors.New("jobs: already started")
	}
	var kinds []dispatch.Kind
	for _, k := range q.kinds {
		kinds = append(kinds, k.Kind)
	}
	slices.SortFunc(kinds, func(a, b dispatch.Kind) int { return cmp.Compare(a.Name, b.Name) })
	d := dispatch.New(ctx, dispatch.Options{
		Queue: dispatched{q}, DB: q.db, Clock: q.clock, Log: q.log, Lease: q.opts.Lease, Poll: q.opts.Poll,
		Kinds: kinds, Workers: workers,
	})
	q.run = d
	unwatch := context.AfterFunc(ctx, func() { d.Interrupt(ErrStopped) })
	go func() {
		defer unwatch()
		d.Run(context.WithoutCancel(ctx))
	}()
	return nil
}

// dispatcher is nil while the queue is not started.
func (q *Queue) dispatcher() *dispatch.Dispatcher {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.run
}

// Stop takes no new job and waits until those that run have finished. When ctx
// ends first they are interrupted and handed back for another process to run.
// A stopped queue can be started again.
func (q *Queue) Stop(ctx context.Context) error {
	d := q.dispatcher()
	if d == nil {
		return nil
	}
	d.Stop()
	select {
	case <-d.Ended():
	case <-ctx.Done():
		d.Interrupt(ErrStopped)
		grace := clock.Real().NewTimer(q.opts.Grace)
		defer grace.Stop()
		select {
		case <-d.Ended():
		case <-grace.C:
			if err := q.disown(context.WithoutCancel(ctx)); err != nil {
				return err
			}
			return fmt.Errorf("jobs: %d jobs do not end; their leases run out in %s", q.Stats().Running, q.opts.Lease)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run == d {
		q.run = nil
	}
	d.Interrupt(ErrStopped) // releases the context of its jobs
	return d.Failure()
}
