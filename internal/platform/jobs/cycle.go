package jobs

import (
	"context"
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// cycle is one transaction: outcomes are written, schedules fire, jobs are
// claimed. That shares one commit among many jobs.
type cycle struct {
	now        time.Time
	lease      time.Time // when the leases of its claims end
	holder     string
	outcomes   []outcome
	rewind     bool // the clock went back
	placeFresh bool // there may be fresh jobs
	fire       bool
	requests   []*claimRequest

	// Results.
	upcoming []upcomingJob // became claimable by this cycle
	fired    time.Time     // when the next schedule fires, if fire
	unplaced bool          // there may be more fresh jobs
	suspects bool          // there are new ones
	poisoned []outcome     // to be written by the next cycle
}

// ask is a wish for up to n jobs.
type claimRequest struct {
	group   *group // nil in Settle
	queries *claimQueries
	n       int
	due     bool           // there may be some
	alone   bool           // in a trial: nothing else runs
	owners  map[string]int // in a fair group: how many each one has here
	cursor  string         // in a fair group: who was served last

	// Results.
	claims []*claim
	next   time.Time // when the next can be claimed; never if there is none
}

func (q *Queue) runCycle(ctx context.Context, r *cycle) error {
	// The key is this queue's own: on PostgreSQL cycles of other processes go
	// on at the same time and pass over locked rows.
	return q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(ctx context.Context, tx *database.Tx) error {
		r.upcoming, r.fired, r.unplaced, r.suspects, r.poisoned = nil, database.MaxTime(), false, false, nil
		r.holder, r.lease = q.owner, r.now.Add(q.opts.Lease)
		if r.rewind {
			if err := q.rewind(ctx, tx, r.now); err != nil {
				return err
			}
		}
		if r.fire {
			if err := q.fireSchedules(ctx, tx, r); err != nil {
				return err
			}
		}
		if err := q.writeOutcomes(ctx, tx, r); err != nil {
			return err
		}
		for _, a := range r.requests {
			if err := q.claimFor(ctx, tx, r, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// perform runs a cycle and takes its result over; moved reports whether the
// queue holds other jobs than before.
func (q *Queue) perform(ctx context.Context, r *cycle) (moved bool, err error) {
	q.beginCycle()
	err = q.runCycle(ctx, r)
	return q.endCycle(r, err == nil), err
}

// writeOutcomes finishes jobs and moves the lanes on.
func (q *Queue) writeOutcomes(ctx context.Context, tx *database.Tx, r *cycle) (err error) {
	var fresh []freshJob
	if r.placeFresh && tx.Engine() == database.Postgres {
		if fresh, err = freshJobs(ctx, tx); err != nil {
			return err
		}
		r.unplaced = len(fresh) == maxFresh
	}
	keys := laneKeys(r.outcomes, fresh)
	if err := lockLanes(ctx, tx, keys); err != nil {
		return err
	}
	next, err := finish(ctx, tx, q.owner, r.outcomes, r.now)
	if err != nil {
		return err
	}
	if err := place(ctx, tx, fresh); err != nil {
		return err
	}
	heads, err := promote(ctx, tx, keys)
	if err != nil {
		return err
	}
	r.upcoming = append(append(r.upcoming, next...), heads...)
	if slices.ContainsFunc(r.outcomes, func(o outcome) bool { return o.verdict == dead || o.verdict == poison }) {
		return dropDead(ctx, tx, r.now.Add(-q.opts.KeepDead))
	}
	return nil
}

func (q *Queue) claimFor(ctx context.Context, tx *database.Tx, r *cycle, a *claimRequest) (err error) {
	a.claims, a.next = nil, database.MaxTime()
	due := a.due
	for _, u := range r.upcoming {
		due = due || (!u.at.After(r.now) && u.suspect == a.queries.suspects && a.takes(u.kind))
	}
	if !due {
		return nil
	}
	found, err := a.claim(ctx, tx, r)
	if err != nil {
		return err
	}
	a.claims = found.jobs
	for _, c := range a.claims {
		c.suspect = a.queries.suspects
	}
	r.sortSuspects(found.suspects)
	if len(a.claims) == a.n || found.more {
		a.next = r.now // there may be more
		return nil
	}
	a.next, err = a.upcoming(ctx, tx, r.now)
	return err
}

func (a *claimRequest) claim(ctx context.Context, tx *database.Tx, r *cycle) (claimed, error) {
	if a.queries.fair != nil {
		return a.queries.fair.claim(ctx, tx, r, a)
	}
	return a.queries.claim(ctx, tx, r, a)
}

// upcoming is when there is something to claim that there is not now.
func (a *claimRequest) upcoming(ctx context.Context, tx *database.Tx, now time.Time) (time.Time, error) {
	if a.queries.fair != nil {
		return a.queries.fair.upcoming(ctx, tx, now) // what is due is beyond its owner's share
	}
	return a.queries.upcoming(ctx, tx)
}

func (a *claimRequest) takes(kind string) bool {
	for _, k := range a.queries.kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// plan decides on the next cycle; not ok means that there is nothing to do.
func (d *dispatcher) plan() (r *cycle, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stopping && d.holdBack() {
		return nil, false
	}
	r = &cycle{now: d.q.clock.Now(), outcomes: d.outcomes}
	d.outcomes = nil
	if d.stopping {
		d.releaseBuffers(r)
		return r, len(r.outcomes) > 0
	}
	ok = len(r.outcomes) > 0
	if d.rewind || d.q.rewound(r.now) {
		d.expectAll()
		r.rewind, ok = true, true
		d.rewind = false
	}
	if d.fresh {
		r.placeFresh, ok = true, true
		d.fresh = false
	}
	if !d.schedules.After(r.now) {
		r.fire, ok = true, true
		d.schedules = database.MaxTime()
	}
	alone := d.isolating(r.now)
	for _, g := range d.groups {
		if len(r.outcomes) > 0 {
			g.adaptDepth()
		}
		free := g.free()
		if free <= 0 || !d.mayClaim(g, alone) {
			continue
		}
		a := &claimRequest{group: g, queries: g.queries, n: free, due: !g.next.After(r.now), alone: alone}
		if g.queries.fair != nil {
			a.owners, a.cursor = maps.Clone(g.owners), g.cursor
		}
		r.requests = append(r.requests, a)
		if a.due {
			ok = true
			g.next = database.MaxTime() // what is enqueued from here on lowers it again
		}
	}
	return r, ok
}

// expectAll forgets what is known about due times: a cycle is to ask again.
func (d *dispatcher) expectAll() {
	d.schedules, d.heartbeatAt = time.Time{}, time.Time{}
	for _, g := range d.groups {
		g.next = time.Time{}
	}
}

// holdBack reports whether to collect more outcomes before the next cycle: while
// every worker has something to do, nobody gains from an early commit.
func (d *dispatcher) holdBack() bool {
	if len(d.outcomes) == 0 || len(d.outcomes) >= maxDepth || d.overdue {
		d.overdue = false
		return false
	}
	for _, g := range d.groups {
		if g.finished > 0 && (g.running < g.limit || len(g.buffer) == 0) {
			return false
		}
	}
	return true
}

func (d *dispatcher) releaseBuffers(r *cycle) {
	for _, g := range d.groups {
		for _, c := range g.buffer {
			r.outcomes = append(r.outcomes, outcome{claim: c, verdict: released})
			g.count(c, -1)
		}
		g.buffer = nil
	}
}

// slowJob is how long jobs of a group take on average to be claimed only when a
// worker is free: others behind them might run in another process.
const slowJob = 20 * time.Millisecond

// adapt tunes how many jobs are claimed ahead.
func (g *group) adaptDepth() {
	switch {
	case g.average > slowJob, g.queries.fair != nil, g.queries.suspects:
		g.depth = 0
	case g.finished >= g.limit+g.depth/2:
		g.depth = min(max(2*g.depth, g.limit), maxDepth)
	case g.finished < g.limit/2:
		g.depth /= 2
	}
	g.finished = 0
}

// accept takes the results of a cycle over and starts what was claimed.
func (d *dispatcher) accept(r *cycle, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.putBack(r)
		return
	}
	d.failure, d.failures = nil, 0
	if r.fire {
		d.schedules = earlier(d.schedules, r.fired)
	}
	d.fresh = d.fresh || r.unplaced
	for _, u := range r.upcoming {
		g := d.byKind[u.kind]
		if u.suspect {
			g = d.suspects
		}
		if g != nil {
			g.next = earlier(g.next, u.at)
		}
	}
	d.acceptSuspects(r)
	for _, a := range r.requests {
		a.group.next = earlier(a.group.next, a.next)
		a.group.buffer = append(a.group.buffer, a.claims...)
		for _, c := range a.claims {
			a.group.count(c, 1)
			a.group.cursor = a.cursor
		}
		d.startWorkers(a.group)
	}
}

// putBack undoes plan after a cycle that did not commit.
func (d *dispatcher) putBack(r *cycle) {
	d.outcomes = append(r.outcomes, d.outcomes...)
	d.rewind = d.rewind || r.rewind
	d.fresh = d.fresh || r.placeFresh
	if r.fire {
		d.schedules = r.now
	}
	for _, a := range r.requests {
		if a.due {
			a.group.next = earlier(a.group.next, r.now)
		}
	}
}

func (d *dispatcher) startWorkers(g *group) {
	for g.running < g.limit && len(g.buffer) > 0 && !d.stopping {
		c := g.pop()
		g.running++
		if d.heartbeatAt.IsZero() {
			d.heartbeatAt = d.q.clock.Now().Add(d.q.opts.Lease / 3)
		}
		go d.work(g, c)
	}
}

func (g *group) pop() *claim {
	c := g.buffer[0]
	g.buffer[0] = nil
	g.buffer = g.buffer[1:]
	return c
}

// work runs jobs of a group until none is buffered.
func (d *dispatcher) work(g *group, c *claim) {
	for c != nil {
		began := clock.Real().Now()
		o := d.q.attempt(d.jobs, c)
		took := clock.Real().Now().Sub(began)
		c = nil
		d.mu.Lock()
		d.outcomes = append(d.outcomes, o)
		g.finished++
		g.count(o.claim, -1)
		g.average += (took - g.average) / 8
		if len(g.buffer) > 0 && !d.stopping {
			c = g.pop()
		} else {
			g.running--
		}
		d.mu.Unlock()
		d.notify()
	}
}
