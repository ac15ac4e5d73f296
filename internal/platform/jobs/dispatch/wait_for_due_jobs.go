package dispatch

import (
	"context"
	"maps"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// recheck is how often the due times in memory are compared with the clock, in
// case an operator has set it. It costs no query.
const recheck = time.Minute

const (
	minPoll  = 50 * time.Millisecond
	minPause = 50 * time.Millisecond
	maxPause = 5 * time.Second
)

// poller spaces looks at the database that no event asked for. It counts real
// time: the frozen clock of a lab world must not stop them.
type poller struct {
	poll    bool
	maxPoll time.Duration
	current time.Duration // between polls
	pause   time.Duration // after failures
}

func (p *poller) reset() { p.current, p.pause = 0, 0 }

func (p *poller) nextPoll() time.Duration {
	if !p.poll {
		return recheck
	}
	p.current = min(max(2*p.current, minPoll), p.maxPoll)
	return p.current
}

func (p *poller) nextRetry() time.Duration {
	p.pause = min(max(2*p.pause, minPause), maxPause)
	return p.pause
}

// wait sleeps until something is due, a job ends, one is enqueued, or it is time
// to look what other processes enqueued.
func (d *Dispatcher) wait(ctx context.Context, p *poller) {
	var due <-chan time.Time
	if at := d.deadline(); at.Before(database.MaxTime()) {
		t := d.clock.NewTimer(at.Sub(d.clock.Now()))
		defer t.Stop()
		due = t.C
	}
	pause, late := d.pause(p)
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
			d.pollDatabase(ctx)
		}
	}
}

// maxHold is how long outcomes wait for company.
const maxHold = 5 * time.Millisecond

// pause is how long to wait in real time; late means that outcomes wait, too.
func (d *Dispatcher) pause(p *poller) (pause time.Duration, late bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.outcomes) > 0 {
		return maxHold, true
	}
	pause = p.nextPoll()
	if d.isolating(d.clock.Now()) {
		pause = min(pause, max(d.isolateUntil.Sub(clock.Real().Now()), 0)+time.Millisecond)
	}
	return pause, false
}

// sleep pauses after a failure; a stop or new work does not cut it short.
func (d *Dispatcher) sleep(pause time.Duration) {
	t := clock.Real().NewTimer(pause)
	defer t.Stop()
	<-t.C
}

// deadline is the next moment on the world's clock at which there is work.
func (d *Dispatcher) deadline() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := database.MaxTime()
	if d.busy() {
		at = d.heartbeatAt
	}
	if d.stopping {
		return at
	}
	at = earlier(at, d.schedules)
	isolating := d.isolating(d.clock.Now())
	for _, g := range d.groups {
		if g.free() > 0 && d.mayClaim(g, isolating) {
			at = earlier(at, g.next)
		}
	}
	return at
}

// pollDatabase asks the database, without writing, what is due. Its failure is not
// reported: the next look or cycle meets it too.
func (d *Dispatcher) pollDatabase(ctx context.Context) {
	d.mu.Lock()
	groups := d.groups
	d.mu.Unlock()
	for _, g := range groups {
		if at, err := d.nextClaim(ctx, g); err == nil {
			d.mu.Lock()
			g.next = earlier(g.next, at)
			d.mu.Unlock()
		}
	}
	if fresh, err := store.HasFresh(ctx, d.db); err == nil && fresh {
		d.mu.Lock()
		d.fresh = true
		d.mu.Unlock()
	}
	if at, err := d.queue.NextSchedule(ctx); err == nil {
		d.mu.Lock()
		d.schedules = earlier(d.schedules, at)
		d.mu.Unlock()
	}
}

// nextClaim is when the group has something to claim.
func (d *Dispatcher) nextClaim(ctx context.Context, g *group) (time.Time, error) {
	if !g.queries.ByOwner() {
		return g.queries.Next(ctx, d.db)
	}
	d.mu.Lock()
	owners := maps.Clone(g.owners)
	d.mu.Unlock()
	return g.queries.NextBelowShare(ctx, d.db, d.clock.Now(), owners)
}

// heartbeatDue reports whether the leases are to be extended now.
func (d *Dispatcher) heartbeatDue() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.busy() {
		d.heartbeatAt = time.Time{}
		return false
	}
	now := d.clock.Now()
	if now.Before(d.heartbeatAt) {
		return false
	}
	d.heartbeatAt = now.Add(d.lease / 3)
	return true
}
