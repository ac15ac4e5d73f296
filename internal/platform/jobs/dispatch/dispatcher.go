package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// Queue is what a dispatcher works for.
type Queue interface {
	// Perform runs a cycle and notes what the queue holds after it.
	Perform(ctx context.Context, c *store.Cycle) error
	// Attempt runs a job once and decides what becomes of it.
	Attempt(ctx context.Context, c *store.Claim) store.Outcome
	// ExtendLeases moves the leases of all held jobs on.
	ExtendLeases(ctx context.Context)
	// Rewound reports whether the clock has gone back since the last cycle.
	Rewound(now time.Time) bool
	// NextSchedule is when the next schedule fires.
	NextSchedule(ctx context.Context) (time.Time, error)
	// LogPoison reports a job that is dead without another run.
	LogPoison(ctx context.Context, o store.Outcome)
}

// Options are what a Dispatcher is built on.
type Options struct {
	Queue Queue
	DB    *database.DB
	Clock clock.Clock
	Log   *slog.Logger
	// Lease is how long a claim lasts, Poll the longest pause between two looks
	// for work of other processes.
	Lease, Poll time.Duration
	// Kinds are all that may be claimed, Workers how many jobs of those without a
	// concurrency of their own run at once.
	Kinds   []Kind
	Workers int
}

// Kind is a kind of jobs and how many of it run at once; zero shares the common
// workers.
type Kind struct {
	store.Kind
	Concurrency int
}

// Dispatcher claims, runs and finishes jobs until it is stopped.
type Dispatcher struct {
	queue Queue
	db    *database.DB
	clock clock.Clock
	log   *slog.Logger
	lease time.Duration
	poll  time.Duration

	jobs   context.Context // of the running jobs
	cancel context.CancelCauseFunc
	signal chan struct{} // has a token when there may be work
	ended  chan struct{} // closed when Run has returned

	mu           sync.Mutex
	groups       []*group
	byKind       map[string]*group
	suspects     *group
	isolateUntil time.Time       // real time until which suspects run alone
	outcomes     []store.Outcome // to be written
	overdue      bool            // they have been held back long enough
	rewind       bool            // the clock went back
	fresh        bool            // jobs wait for their place on their lanes
	schedules    time.Time       // when the next schedule fires
	heartbeatAt  time.Time       // when the leases are to be extended
	stopping     bool
	failure      error // why the last cycle could not be written; nil if it could
	failures     int   // how many could not, one after the other
}

// New makes a dispatcher whose jobs get ctx's values. Run has it begin.
func New(ctx context.Context, o Options) *Dispatcher {
	d := &Dispatcher{
		queue: o.Queue, db: o.DB, clock: o.Clock, log: o.Log, lease: o.Lease, poll: o.Poll,
		signal: make(chan struct{}, 1), ended: make(chan struct{}),
		byKind: map[string]*group{}, fresh: true, isolateUntil: clock.Real().Now().Add(isolationTime),
	}
	d.jobs, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	var all, common []string
	for _, k := range o.Kinds {
		all = append(all, k.Name)
		switch {
		case k.Concurrency <= 0:
			common = append(common, k.Name)
		case k.Share.Bounds():
			d.addGroup(store.NewOwnerQueries(o.DB, k.Kind), k.Concurrency, k.Name)
		default:
			d.addGroup(store.NewQueries(o.DB, k.Name), k.Concurrency, k.Name)
		}
	}
	d.addGroup(store.NewQueries(o.DB, common...), o.Workers, common...)
	d.suspects = &group{queries: store.NewSuspectQueries(o.DB, all...), limit: 1}
	d.groups = append(d.groups, d.suspects)
	return d
}

func (d *Dispatcher) addGroup(queries *store.Queries, limit int, kinds ...string) {
	// The zero time of next means: look at once.
	g := &group{queries: queries, limit: limit, owners: tally{}, active: tally{}, ended: tally{}}
	d.groups = append(d.groups, g)
	for _, name := range kinds {
		d.byKind[name] = g
	}
}

// Run makes cycles until the dispatcher is stopped and everything is handed back.
func (d *Dispatcher) Run(ctx context.Context) {
	defer close(d.ended)
	p := poller{poll: d.db.Engine() == database.Postgres, maxPoll: d.poll}
	for {
		if d.heartbeatDue() {
			d.queue.ExtendLeases(ctx)
		}
		next, ok := d.plan()
		if !ok {
			if d.finished() {
				return
			}
			d.wait(ctx, &p)
			continue
		}
		err := d.queue.Perform(ctx, &next.Cycle)
		d.accept(next, err)
		if err == nil {
			p.reset()
			continue
		}
		if d.giveUp(err) {
			return
		}
		d.log.LogAttrs(ctx, slog.LevelError, "job queue unreachable", slog.Any("error", err))
		d.sleep(p.nextRetry())
	}
}

// finished reports whether a stopping dispatcher has nothing left to do.
func (d *Dispatcher) finished() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping && len(d.outcomes) == 0 && !d.busy()
}

func (d *Dispatcher) busy() bool { return slices.ContainsFunc(d.groups, (*group).busy) }

// giveUp ends a dispatcher that cannot write any more. What it holds goes to
// another process when the leases have run out.
func (d *Dispatcher) giveUp(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
	d.failures++
	return errors.Is(err, database.ErrClosed) || (d.stopping && !d.busy() && d.failures >= maxLastTries)
}

// maxLastTries is how often a stopping dispatcher tries to write what it knows.
const maxLastTries = 3

// Expect notes that a job of a kind can be claimed from at on.
func (d *Dispatcher) Expect(kind string, at time.Time) {
	d.mu.Lock()
	if g := d.byKind[kind]; g != nil {
		g.next = earlier(g.next, at)
	}
	d.mu.Unlock()
	d.notify()
}

// ExpectFresh notes that a job waits for its place on its lane.
func (d *Dispatcher) ExpectFresh() {
	d.mu.Lock()
	d.fresh = true
	d.mu.Unlock()
	d.notify()
}

// ExpectSchedule notes that a schedule fires at at.
func (d *Dispatcher) ExpectSchedule(at time.Time) {
	d.mu.Lock()
	d.schedules = earlier(d.schedules, at)
	d.mu.Unlock()
	d.notify()
}

// ExpectAll notes that anything may be due.
func (d *Dispatcher) ExpectAll() {
	d.mu.Lock()
	d.expectAll()
	d.fresh = true
	d.mu.Unlock()
	d.notify()
}

func (d *Dispatcher) notify() {
	select {
	case d.signal <- struct{}{}:
	default:
	}
}

// Stop takes no more jobs. Run returns when those that run have ended.
func (d *Dispatcher) Stop() {
	d.mu.Lock()
	d.stopping = true
	d.mu.Unlock()
	d.notify()
}

// Interrupt is Stop that also cancels the jobs that run, with the cause.
func (d *Dispatcher) Interrupt(cause error) {
	d.Stop()
	d.cancel(cause)
}

// Ended is closed when Run has returned.
func (d *Dispatcher) Ended() <-chan struct{} { return d.ended }

// Failure is why the last cycle could not be written; nil if it could.
func (d *Dispatcher) Failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}
