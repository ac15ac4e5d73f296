package jobs

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/leases"
	"stoa.dev/stoa/internal/platform/jobs/runner"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// lease is a job that the queue holds.
type lease struct {
	cancel context.CancelCauseFunc // set once it runs
	lost   bool                    // another process has it
}

// heldJobs is what the queue held at one moment.
type heldJobs struct {
	jobs    int
	cycles  int // under way
	changes uint64
	changed <-chan struct{} // closed after the next cycle
}

func (q *Queue) heldJobs() heldJobs {
	q.mu.Lock()
	defer q.mu.Unlock()
	return heldJobs{len(q.held), q.cycles, q.changes, q.changed}
}

// extendLeases moves the leases of all held jobs on. Jobs that another process took
// over meanwhile are interrupted.
func (q *Queue) extendLeases(ctx context.Context) {
	seqs := q.heldSeqs()
	if len(seqs) == 0 {
		return
	}
	var kept map[int64]bool
	err := q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(ctx context.Context, tx *database.Tx) (err error) {
		kept, err = leases.Extend(ctx, tx, q.owner, q.clock.Now().Add(q.opts.Lease), seqs)
		if err != nil {
			return err
		}
		return leases.UncountDeaths(ctx, tx, q.owner, q.newlyLost(seqs, kept))
	})
	if err != nil {
		// The next beat comes well before the leases run out.
		q.log.LogAttrs(ctx, slog.LevelError, "job leases not extended", slog.Any("error", err))
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seq := range seqs {
		l := q.held[seq]
		if l == nil || kept[seq] {
			continue
		}
		l.lost = true // in case it has not started
		if l.cancel != nil {
			l.cancel(ErrLeaseLost)
		}
	}
}

// newlyLost are the held jobs that are no longer kept, once each.
func (q *Queue) newlyLost(seqs []int64, kept map[int64]bool) (lost []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seq := range seqs {
		if l := q.held[seq]; l != nil && !kept[seq] && !l.lost {
			lost = append(lost, seq)
		}
	}
	return lost
}

func (q *Queue) heldSeqs() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Collect(maps.Keys(q.held))
}

// beginJob notes that a held job runs; false means that its lease is lost.
func (q *Queue) beginJob(c *store.Claim, cancel context.CancelCauseFunc) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.held[c.Seq]
	if l == nil || l.lost {
		return false
	}
	l.cancel = cancel
	return true
}

// perform runs a cycle and takes its result over; moved reports whether the
// queue holds other jobs than before.
func (q *Queue) perform(ctx context.Context, c *store.Cycle) (moved bool, err error) {
	c.Kinds, c.Holder = q.queueKinds().all, q.owner
	c.Lease, c.DeadTime = c.Now.Add(q.opts.Lease), c.Now.Add(-q.opts.KeepDead)
	q.beginCycle()
	err = c.Run(ctx, q.db)
	return q.endCycle(c, err == nil), err
}

// beginCycle notes that a cycle is under way: what it claims is not yet held, but
// no longer free either.
func (q *Queue) beginCycle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cycles++
}

// endCycle notes that a cycle is over, after exchange if it was committed.
func (q *Queue) endCycle(c *store.Cycle, committed bool) (moved bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cycles--
	if committed {
		moved = q.exchange(c)
	}
	if moved {
		q.changes++
	}
	close(q.changed)
	q.changed = make(chan struct{})
	return moved
}

// exchange forgets the jobs whose outcomes a cycle made durable and notes those
// it claimed, in one step, so that the queue never looks idle in between. It
// leaves out what this queue runs already: a clock that jumped ahead can end a
// lease while its job is still running.
func (q *Queue) exchange(c *store.Cycle) (moved bool) {
	for _, o := range c.Outcomes {
		delete(q.held, o.Seq)
	}
	moved = len(c.Outcomes) > 0
	for _, r := range c.Requests {
		fresh := r.Claims[:0]
		for _, claim := range r.Claims {
			if q.held[claim.Seq] == nil {
				q.held[claim.Seq] = &lease{}
				fresh = append(fresh, claim)
			}
		}
		r.Claims = fresh
		moved = moved || len(fresh) > 0
	}
	return moved
}

// disown gives up what this queue runs when it cannot wait any longer.
func (q *Queue) disown(ctx context.Context) error {
	return q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(ctx context.Context, tx *database.Tx) error {
		return leases.Disown(ctx, tx, q.owner)
	})
}

// leaseBeat runs jobs, and has the leases kept by who waits for them, where no worker does
// it; nil does neither.
type leaseBeat struct {
	runner.Runner
	due *clock.Timer
}

// newLeaseTimer is for leases that were taken now, or at a later due time.
func (q *Queue) newLeaseTimer(due time.Time) *clock.Timer {
	return q.clock.NewTimer(max(due.Sub(q.clock.Now()), 0) + q.opts.Lease/3)
}
