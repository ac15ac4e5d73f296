package dispatch

import (
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/store"
)

// group is kinds that share workers.
type group struct {
	queries *store.Queries
	limit   int // workers
	running int // of them busy
	// buffer is claimed jobs that wait for a worker. Its depth grows while
	// workers finish a whole set of jobs in the time of one commit.
	buffer   []*store.Claim
	depth    int
	finished int           // since the last cycle
	average  time.Duration // how long a job takes, on a moving average
	next     time.Time     // when a job can be claimed, as far as known

	// Of a group that claims by owner.
	owners tally  // how many jobs each one has here
	active tally  // and how many of them run
	ended  tally  // and how many have ended since the last cycle
	again  bool   // an owner whose job ended may have another one
	cursor string // who was served last
}

// tally is a number for each owner who has one.
type tally map[string]int

func (t tally) add(owner string, n int) {
	if t[owner] += n; t[owner] <= 0 {
		delete(t, owner)
	}
}

const (
	maxDepth = 256
	// slowJob is how long jobs of a group take on average to be claimed only
	// when a worker is free: others behind them might run in another process.
	slowJob = 20 * time.Millisecond
)

// free is how many more jobs the group could have. What an owner has beyond its
// share takes no worker from others.
func (g *group) free() int {
	buffered := len(g.buffer)
	if g.queries.ByOwner() {
		buffered = 0
		for owner, n := range g.owners {
			buffered += min(n, g.queries.MaxRunning()) - g.active[owner]
		}
	}
	return g.limit + g.depth - g.running - buffered
}

// busy reports whether the group has jobs.
func (g *group) busy() bool { return g.running > 0 || len(g.buffer) > 0 }

// count notes that an owner's job came or went. What went makes place for the
// next one of the same owner.
func (g *group) count(c *store.Claim, n int) {
	if !g.queries.ByOwner() {
		return
	}
	g.owners.add(c.Owner, n)
	g.again = g.again || n < 0
}

// sparesWorkers reports whether there is a worker for the next owner, so that none
// waits for what others have claimed ahead.
func (g *group) sparesWorkers() bool { return g.running < g.limit-1 }

// ahead is how many jobs beyond its share each owner may have: as many as have
// ended since the last cycle, so that its workers do not wait for the next one.
func (g *group) ahead() tally {
	if g.average > slowJob || !g.sparesWorkers() {
		return nil
	}
	return maps.Clone(g.ended)
}

// idles reports whether a worker may have nothing to do until the next cycle: in a
// group that claims by owner, one of an owner whose job ended.
func (g *group) idles() bool {
	if !g.queries.ByOwner() {
		return g.running < g.limit || len(g.buffer) == 0
	}
	for owner := range g.ended {
		if g.active[owner] < g.queries.MaxRunning() {
			return true
		}
	}
	return false
}

// adaptDepth tunes how many jobs are claimed ahead.
func (g *group) adaptDepth() {
	switch {
	case g.average > slowJob, g.queries.ByOwner(), g.queries.Suspects():
		g.depth = 0
	case g.finished >= g.limit+g.depth/2:
		g.depth = min(max(2*g.depth, g.limit), maxDepth)
	case g.finished < g.limit/2:
		g.depth /= 2
	}
	g.finished = 0
	clear(g.ended)
}

// end notes that a job has ended.
func (g *group) end(c *store.Claim, took time.Duration) {
	g.finished++
	g.running--
	g.average += (took - g.average) / 8
	g.count(c, -1)
	if g.queries.ByOwner() {
		g.active.add(c.Owner, -1)
		g.ended.add(c.Owner, 1)
	}
}

// pop gives the next buffered job that may run, if there is one: in a group that
// claims by owner the first of the owner with the fewest that run.
func (g *group) pop() *store.Claim {
	if len(g.buffer) == 0 {
		return nil
	}
	if g.queries.ByOwner() {
		return g.popByOwner()
	}
	g.running++
	c := g.buffer[0]
	g.buffer[0] = nil
	g.buffer = g.buffer[1:]
	return c
}

func (g *group) popByOwner() *store.Claim {
	next, fewest := -1, g.queries.MaxRunning()
	for i, c := range g.buffer {
		if n := g.active[c.Owner]; n < fewest {
			next, fewest = i, n
		}
	}
	if next < 0 {
		return nil
	}
	c := g.buffer[next]
	g.buffer = slices.Delete(g.buffer, next, next+1)
	g.active.add(c.Owner, 1)
	g.running++
	return c
}
