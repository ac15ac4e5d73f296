package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// recheck is how often the due times in memory are compared with the clock, in
// case an operator has set it. It costs no query.
const recheck = time.Minute

const (
	shortestPoll = 50 * time.Millisecond
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// pacer spaces looks at the database that no event asked for. It counts real
// time: the frozen clock of a lab world must not stop them.
type pacer struct {
	poll    bool
	longest time.Duration
	current time.Duration // between polls
	pause   time.Duration // after failures
}

func (p *pacer) busy() { p.current, p.pause = 0, 0 }

func (p *pacer) idle() time.Duration {
	if !p.poll {
		return recheck
	}
	p.current = min(max(2*p.current, shortestPoll), p.longest)
	return p.current
}

func (p *pacer) failed() time.Duration {
	p.pause = min(max(2*p.pause, firstPause), longestPause)
	return p.pause
}

// wait sleeps until something is due, a job ends, somebody enqueues, or it is
// time to look what other processes enqueued.
func (d *dispatcher) wait(ctx context.Context, p *pacer) {
	var due <-chan time.Time
	if at := d.deadline(); at.Before(never()) {
		t := d.q.clock.NewTimer(at.Sub(d.q.clock.Now()))
		defer t.Stop()
		due = t.C
	}
	pause, late := d.patience(p)
	look := clock.Real().NewTimer(pause)
	defer look.Stop()
	select {
	case <-d.signal:
	case <-due:
	case <-look.C:
		if late {
			d.mu.Lock()
			d.overdue = true
			d.mu.Unlock()
		} else if p.poll {
			d.look(ctx)
		}
	}
}

// longestHold is how long outcomes wait for company.
const longestHold = 5 * time.Millisecond

// patience is how long to wait in real time; late means that outcomes wait, too.
func (d *dispatcher) patience(p *pacer) (pause time.Duration, late bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.outcomes) > 0 {
		return longestHold, true
	}
	return p.idle(), false
}

// sleep pauses after a failure; a stop or new work does not cut it short.
func (d *dispatcher) sleep(pause time.Duration) {
	t := clock.Real().NewTimer(pause)
	defer t.Stop()
	<-t.C
}

// deadline is the next moment on the world's clock at which there is work.
func (d *dispatcher) deadline() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := never()
	if d.busy() {
		at = d.beatAt
	}
	if d.stopping {
		return at
	}
	at = earlier(at, d.schedules)
	for _, g := range d.groups {
		if g.limit+g.depth > g.running+len(g.buffer) {
			at = earlier(at, g.next)
		}
	}
	return at
}

// look asks the database, without writing, what is due. Its failure is not
// reported: the next look or round meets it too.
func (d *dispatcher) look(ctx context.Context) {
	d.mu.Lock()
	groups := d.groups
	d.mu.Unlock()
	for _, g := range groups {
		if at, err := g.text.upcoming(ctx, d.q.db); err == nil {
			d.mu.Lock()
			g.next = earlier(g.next, at)
			d.mu.Unlock()
		}
	}
	if fresh, err := freshJobs(ctx, d.q.db); err == nil && len(fresh) > 0 {
		d.mu.Lock()
		d.fresh = true
		d.mu.Unlock()
	}
	if at, err := d.q.nextSchedule(ctx, d.q.db); err == nil {
		d.mu.Lock()
		d.schedules = earlier(d.schedules, at)
		d.mu.Unlock()
	}
}

// beatDue tells whether the leases are to be extended now.
func (d *dispatcher) beatDue() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.busy() {
		d.beatAt = time.Time{}
		return false
	}
	now := d.q.clock.Now()
	if now.Before(d.beatAt) {
		return false
	}
	d.beatAt = now.Add(d.q.opts.Lease / 3)
	return true
}

// extend moves the leases of all held jobs on. Jobs that another process took
// over meanwhile are interrupted.
func (q *Queue) extend(ctx context.Context) {
	seqs := q.heldSeqs()
	if len(seqs) == 0 {
		return
	}
	var kept map[int64]bool
	err := q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(tx *database.Tx) (err error) {
		kept, err = extendLeases(ctx, tx, q.owner, q.clock.Now().Add(q.opts.Lease), seqs)
		return err
	})
	if err != nil {
		// The next beat comes well before the leases run out.
		q.log.ErrorContext(ctx, "jobs: cannot extend leases", "error", err)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seq := range seqs {
		if c := q.held[seq]; c != nil && !kept[seq] && c.cancel != nil {
			c.cancel(ErrLeaseLost)
		}
	}
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
