package dispatch

import (
	"maps"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// plan is the next cycle, with the group of each of its requests.
type plan struct {
	store.Cycle
	groups []*group
}

// plan decides on the next cycle; not ok means that there is nothing to do.
func (d *Dispatcher) plan() (p *plan, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stopping && d.holdBack() {
		return nil, false
	}
	p = &plan{Cycle: store.Cycle{Now: d.clock.Now(), Outcomes: d.outcomes}}
	d.outcomes = nil
	if d.stopping {
		d.releaseBuffers(p)
		return p, len(p.Outcomes) > 0
	}
	ok = len(p.Outcomes) > 0
	if d.rewind || d.queue.Rewound(p.Now) {
		d.expectAll()
		p.Rewind, ok = true, true
		d.rewind = false
	}
	if d.fresh {
		p.PlaceFresh, ok = true, true
		d.fresh = false
	}
	if !d.schedules.After(p.Now) {
		p.Fire, ok = true, true
		d.schedules = database.MaxTime()
	}
	isolating := d.isolating(p.Now)
	for _, g := range d.groups {
		ahead := g.ahead()
		if len(p.Outcomes) > 0 {
			g.adaptDepth()
		}
		free := g.free()
		if free <= 0 || !d.mayClaim(g, isolating) {
			continue
		}
		r := &store.Request{Queries: g.queries, N: free, Due: g.again || !g.next.After(p.Now), Alone: isolating}
		if g.queries.ByOwner() {
			r.Owners, r.Ahead, r.Cursor = maps.Clone(g.owners), ahead, g.cursor
		}
		p.Requests, p.groups = append(p.Requests, r), append(p.groups, g)
		if r.Due {
			ok = true
			g.next, g.again = database.MaxTime(), false // what is enqueued from here on lowers it again
		}
	}
	return p, ok
}

// expectAll forgets what is known about due times: a cycle is to ask again.
func (d *Dispatcher) expectAll() {
	d.schedules, d.heartbeatAt = time.Time{}, time.Time{}
	for _, g := range d.groups {
		g.next = time.Time{}
	}
}

// holdBack reports whether to collect more outcomes before the next cycle: while
// every worker has something to do, an early commit gains nothing.
func (d *Dispatcher) holdBack() bool {
	if len(d.outcomes) == 0 || len(d.outcomes) >= maxDepth || d.overdue {
		d.overdue = false
		return false
	}
	now := d.clock.Now()
	isolating := d.isolating(now)
	for _, g := range d.groups {
		due := !g.next.After(now) && g.free() > 0 && d.mayClaim(g, isolating)
		if g.finished > 0 && g.idles() || due && (g.finished == 0 || g.queries.ByOwner()) {
			return false
		}
	}
	return true
}

func (d *Dispatcher) releaseBuffers(p *plan) {
	for _, g := range d.groups {
		for _, c := range g.buffer {
			p.Outcomes = append(p.Outcomes, store.Outcome{Claim: c, Verdict: store.VerdictReleased})
			g.count(c, -1)
		}
		g.buffer = nil
	}
}

// accept takes the results of a cycle over and starts what was claimed.
func (d *Dispatcher) accept(p *plan, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.putBack(p)
		return
	}
	d.failure, d.failures = nil, 0
	if p.Fire {
		d.schedules = earlier(d.schedules, p.Fired)
	}
	d.fresh = d.fresh || p.Unplaced
	looked := map[*group]bool{}
	for i, r := range p.Requests {
		looked[p.groups[i]] = r.Looked
	}
	for _, u := range p.Upcoming {
		g := d.byKind[u.Kind]
		if u.Suspect {
			g = d.suspects
		}
		if g != nil && !looked[g] {
			g.next = earlier(g.next, u.At)
		}
	}
	d.acceptSuspects(p)
	for i, r := range p.Requests {
		g := p.groups[i]
		g.next = earlier(g.next, r.Next)
		g.buffer = append(g.buffer, r.Claims...)
		for _, c := range r.Claims {
			g.count(c, 1)
			g.cursor = r.Cursor
		}
	}
	for _, g := range d.groups {
		d.startWorkers(g)
	}
}

// putBack undoes plan after a cycle that did not commit.
func (d *Dispatcher) putBack(p *plan) {
	d.outcomes = append(p.Outcomes, d.outcomes...)
	d.rewind = d.rewind || p.Rewind
	d.fresh = d.fresh || p.PlaceFresh
	if p.Fire {
		d.schedules = p.Now
	}
	for i, r := range p.Requests {
		if r.Due {
			p.groups[i].next = earlier(p.groups[i].next, p.Now)
		}
	}
}

func (d *Dispatcher) startWorkers(g *group) {
	for g.running < g.limit && !d.stopping {
		c := g.pop()
		if c == nil {
			return
		}
		if d.heartbeatAt.IsZero() {
			d.heartbeatAt = d.clock.Now().Add(d.lease / 3)
		}
		go d.work(g, c)
	}
}

// work runs jobs of a group until none is buffered.
func (d *Dispatcher) work(g *group, c *store.Claim) {
	for c != nil {
		began := clock.Real().Now()
		o := d.queue.Attempt(d.jobs, c)
		took := clock.Real().Now().Sub(began)
		d.mu.Lock()
		d.outcomes = append(d.outcomes, o)
		g.end(o.Claim, took)
		c = nil
		if !d.stopping && (!g.queries.ByOwner() || g.sparesWorkers()) {
			c = g.pop()
		}
		d.mu.Unlock()
		d.notify()
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
