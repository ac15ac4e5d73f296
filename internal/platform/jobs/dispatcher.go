package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// dispatcher is what Start starts: one goroutine that claims and finishes jobs
// in cycles, each one transaction, and one goroutine per running job.
type dispatcher struct {
	q      *Queue
	jobs   context.Context // of the running jobs
	cancel context.CancelCauseFunc
	signal chan struct{} // holds a token when there may be work
	ended  chan struct{} // closed when the goroutine is gone

	mu           sync.Mutex
	groups       []*group
	byKind       map[string]*group
	suspects     *group    // of suspects
	isolateUntil time.Time // real time until which suspects run alone
	outcomes     []outcome // to be written
	overdue      bool      // they have been held back long enough
	rewind       bool      // the clock went back
	fresh        bool      // jobs wait for their place on their lanes
	schedules    time.Time // when the next schedule fires
	heartbeatAt  time.Time // when the leases are to be extended
	stopping     bool
	failure      error // why the last cycle could not be written; nil if it could
	failures     int   // how many could not, one after the other
}

// group is kinds that share workers.
type group struct {
	queries *claimQueries
	limit   int // workers
	running int // of them busy
	// buffer holds claimed jobs that wait for a worker. Its depth grows while
	// workers finish a whole set of jobs in the time of one commit.
	buffer   []*claim
	depth    int
	finished int           // since the last cycle
	average  time.Duration // how long a job takes, on a moving average
	next     time.Time     // when a job can be claimed, as far as known

	// Of a fair group.
	owners map[string]int // how many jobs each one has here
	cursor string         // who was served last
}

// free is how many more jobs the group could hold.
func (g *group) free() int { return g.limit + g.depth - g.running - len(g.buffer) }

// count notes that an owner's job came or went. What went makes room for the
// next one of the same owner.
func (g *group) count(c *claim, n int) {
	if g.queries.fair == nil {
		return
	}
	if g.owners[c.Owner] += n; g.owners[c.Owner] <= 0 {
		delete(g.owners, c.Owner)
	}
	if n < 0 {
		g.next = time.Time{}
	}
}

const maxDepth = 256

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
	d := &dispatcher{q: q, signal: make(chan struct{}, 1), ended: make(chan struct{}), byKind: map[string]*group{}, fresh: true}
	d.jobs, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	d.addGroups(workers)
	d.isolateUntil = clock.Real().Now().Add(isolationTime)
	q.run = d
	unwatch := context.AfterFunc(ctx, func() { d.stop(true) })
	go func() {
		defer close(d.ended)
		defer unwatch()
		d.loop(context.WithoutCancel(ctx))
	}()
	return nil
}

func (d *dispatcher) addGroups(workers int) {
	var common []string
	for name, k := range d.q.kinds {
		if k.concurrency > 0 {
			d.addGroup([]string{name}, k.concurrency)
		} else {
			common = append(common, name)
		}
	}
	d.addGroup(common, workers)
	d.suspects = &group{queries: newSuspectQueries(slices.Collect(maps.Keys(d.q.kinds)), d.q.db.ForUpdateSkipLocked()), limit: 1}
	d.groups = append(d.groups, d.suspects)
}

func (d *dispatcher) addGroup(kinds []string, limit int) {
	// The zero time of next means: look at once.
	g := &group{queries: newClaimQueries(kinds, d.q.db.ForUpdateSkipLocked()), limit: limit, owners: map[string]int{}}
	if len(kinds) == 1 && d.q.kinds[kinds[0]].fair {
		k := d.q.kinds[kinds[0]]
		g.queries.fair = newOwnerQueries(k, d.q.db.ForUpdateSkipLocked())
	}
	d.groups = append(d.groups, g)
	for _, name := range kinds {
		d.byKind[name] = g
	}
}

// loop runs cycles until it is told to stop and everything is handed back.
func (d *dispatcher) loop(ctx context.Context) {
	p := poller{poll: d.q.db.Engine() == database.Postgres, maxPoll: d.q.opts.Poll}
	for {
		if d.heartbeatDue() {
			d.q.extend(ctx)
		}
		r, ok := d.plan()
		if !ok {
			if d.finished() {
				return
			}
			d.wait(ctx, &p)
			continue
		}
		_, err := d.q.perform(ctx, r)
		d.accept(r, err)
		if err == nil {
			p.reset()
			continue
		}
		if d.giveUp(err) {
			return
		}
		d.q.log.ErrorContext(ctx, "jobs: cannot reach the queue", "error", err)
		d.sleep(p.nextRetry())
	}
}

// finished reports whether a stopping dispatcher has nothing left to do.
func (d *dispatcher) finished() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping && len(d.outcomes) == 0 && !d.busy()
}

func (d *dispatcher) busy() bool {
	return slices.ContainsFunc(d.groups, func(g *group) bool { return g.running > 0 || len(g.buffer) > 0 })
}

// giveUp ends a dispatcher that cannot write any more. What it holds goes to
// another process when the leases have run out.
func (d *dispatcher) giveUp(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
	d.failures++
	return errors.Is(err, database.ErrClosed) || (d.stopping && !d.busy() && d.failures >= maxLastTries)
}

// lastTries is how often a stopping dispatcher tries to write what it knows.
const maxLastTries = 3

// expect notes that a job of a kind can be claimed from at on.
func (d *dispatcher) expect(kind string, at time.Time) {
	d.mu.Lock()
	if g := d.byKind[kind]; g != nil {
		g.next = earlier(g.next, at)
	}
	d.mu.Unlock()
	d.notify()
}

// expectFresh notes that a job waits for its place on its lane.
func (d *dispatcher) expectFresh() {
	d.mu.Lock()
	d.fresh = true
	d.mu.Unlock()
	d.notify()
}

// expectSchedule notes that a schedule fires at at.
func (d *dispatcher) expectSchedule(at time.Time) {
	d.mu.Lock()
	d.schedules = earlier(d.schedules, at)
	d.mu.Unlock()
	d.notify()
}

func (d *dispatcher) notify() {
	select {
	case d.signal <- struct{}{}:
	default:
	}
}

// stop takes no more jobs; hard interrupts those that run.
func (d *dispatcher) stop(hard bool) {
	d.mu.Lock()
	d.stopping = true
	d.mu.Unlock()
	if hard {
		d.cancel(ErrStopped)
	}
	d.notify()
}

// Stop takes no new job and waits until those that run have finished. When ctx
// ends first they are interrupted and handed back for another process to run.
// A stopped queue can be started again.
func (q *Queue) Stop(ctx context.Context) error {
	q.mu.Lock()
	d := q.run
	q.mu.Unlock()
	if d == nil {
		return nil
	}
	d.stop(false)
	select {
	case <-d.ended:
	case <-ctx.Done():
		d.stop(true)
		grace := clock.Real().NewTimer(q.opts.Grace)
		defer grace.Stop()
		select {
		case <-d.ended:
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
	d.cancel(ErrStopped)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}
