package jobs

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// holdings is what the queue held at one moment.
type holdings struct {
	jobs   int
	rounds int // under way
	turn   uint64
	moved  <-chan struct{} // closed after the next round
}

func (q *Queue) holdings() holdings {
	q.mu.Lock()
	defer q.mu.Unlock()
	return holdings{len(q.held), q.rounds, q.turn, q.moved}
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
		return forgive(ctx, tx, q.owner, q.newlyLost(seqs, kept))
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

// begin notes that a round is under way: what it claims is not yet held, but no
// longer free either.
func (q *Queue) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rounds++
}

// end notes that a round is over, after exchange if it was committed.
func (q *Queue) end(r *round, committed bool) (moved bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rounds--
	if committed {
		moved = q.exchange(r)
	}
	if moved {
		q.turn++
	}
	close(q.moved)
	q.moved = make(chan struct{})
	return moved
}

// exchange forgets the jobs whose outcomes a round made durable and notes those
// it claimed, in one step, so that nobody sees the queue idle in between. It
// leaves out what this queue runs already: a clock that jumped ahead can end a
// lease while its job is still running.
func (q *Queue) exchange(r *round) (moved bool) {
	for _, o := range r.outcomes {
		delete(q.held, o.seq)
	}
	moved = len(r.outcomes) > 0
	for _, a := range r.asks {
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
