package jobs

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// holdings is what the queue held at one moment.
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

// extend moves the leases of all held jobs on. Jobs that another process took
// over meanwhile are interrupted.
func (q *Queue) extend(ctx context.Context) {
	seqs := q.heldSeqs()
	if len(seqs) == 0 {
		return
	}
	var kept map[int64]bool
	err := q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(ctx context.Context, tx *database.Tx) (err error) {
		kept, err = extendLeases(ctx, tx, q.owner, q.clock.Now().Add(q.opts.Lease), seqs)
		if err != nil {
			return err
		}
		return uncountDeaths(ctx, tx, q.owner, q.newlyLost(seqs, kept))
	})
	if err != nil {
		// The next beat comes well before the leases run out.
		q.log.ErrorContext(ctx, "jobs: cannot extend leases", "error", err)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seq := range seqs {
		c := q.held[seq]
		if c == nil || kept[seq] {
			continue
		}
		c.lost = true // in case it has not started
		if c.cancel != nil {
			c.cancel(ErrLeaseLost)
		}
	}
}

// newlyLost are the held jobs that are no longer kept, once each.
func (q *Queue) newlyLost(seqs []int64, kept map[int64]bool) (lost []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seq := range seqs {
		if c := q.held[seq]; c != nil && !kept[seq] && !c.lost {
			lost = append(lost, seq)
		}
	}
	return lost
}

func (q *Queue) heldSeqs() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	seqs := make([]int64, 0, len(q.held))
	for seq := range q.held {
		seqs = append(seqs, seq)
	}
	return seqs
}

// begin notes that a cycle is under way: what it claims is not yet held, but no
// longer free either.
func (q *Queue) beginCycle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cycles++
}

// end notes that a cycle is over, after exchange if it was committed.
func (q *Queue) endCycle(r *cycle, committed bool) (moved bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cycles--
	if committed {
		moved = q.exchange(r)
	}
	if moved {
		q.changes++
	}
	close(q.changed)
	q.changed = make(chan struct{})
	return moved
}

// exchange forgets the jobs whose outcomes a cycle made durable and notes those
// it claimed, in one step, so that nobody sees the queue idle in between. It
// leaves out what this queue runs already: a clock that jumped ahead can end a
// lease while its job is still running.
func (q *Queue) exchange(r *cycle) (moved bool) {
	for _, o := range r.outcomes {
		delete(q.held, o.seq)
	}
	moved = len(r.outcomes) > 0
	for _, a := range r.requests {
		fresh := a.claims[:0]
		for _, c := range a.claims {
			if q.held[c.seq] == nil {
				q.held[c.seq] = c
				fresh = append(fresh, c)
			}
		}
		a.claims = fresh
		moved = moved || len(fresh) > 0
	}
	return moved
}
