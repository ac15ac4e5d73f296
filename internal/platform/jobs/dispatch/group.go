package dispatch

import (
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
	owners map[string]int // how many jobs each one has here
	cursor string         // who was served last
}

const (
	maxDepth = 256
	// slowJob is how long jobs of a group take on average to be claimed only
	// when a worker is free: others behind them might run in another process.
	slowJob = 20 * time.Millisecond
)

// free is how many more jobs the group could have.
func (g *group) free() int { return g.limit + g.depth - g.running - len(g.buffer) }

// busy reports whether the group has jobs.
func (g *group) busy() bool { return g.running > 0 || len(g.buffer) > 0 }

// count notes that an owner's job came or went. What went makes place for the
// next one of the same owner.
func (g *group) count(c *store.Claim, n int) {
	if !g.queries.ByOwner() {
		return
	}
	if g.owners[c.Owner] += n; g.owners[c.Owner] <= 0 {
		delete(g.owners, c.Owner)
	}
	if n < 0 {
		g.next = time.Time{}
	}
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
}

func (g *group) pop() *store.Claim {
	c := g.buffer[0]
	g.buffer[0] = nil
	g.buffer = g.buffer[1:]
	return c
}
