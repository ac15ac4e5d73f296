package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs/ahead"
	"stoa.dev/stoa/internal/platform/jobs/dispatch"
	"stoa.dev/stoa/internal/platform/jobs/leases"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// Migrations create the tables of jobs and schedules.
func Migrations() database.Migrations { return store.Migrations() }

// Options are what a Queue is built on. DB, Clock and IDs are required.
type Options struct {
	DB    *database.DB
	Clock clock.Clock
	IDs   *ids.Source
	// Fault is asked before each run of a job; an error is what becomes of the run. Nil
	// lets all run.
	Fault func(job Job, payload []byte) error
	// Log gets a line for each failed attempt; nil is silent.
	Log *slog.Logger
	// Node names this process and those that ran in its place before, which have ended;
	// empty where the process is the only one.
	Node string
	// Lease is how long a claimed job stays with a process that no longer
	// answers; zero means one minute.
	Lease time.Duration
	// Poll is the longest pause between two looks for work of other
	// processes, on PostgreSQL only; zero means one second.
	Poll time.Duration
	// KeepDead is how long dead jobs are kept; zero means 30 days.
	KeepDead time.Duration
	// Grace is how long Stop waits for jobs it had to cancel; zero means five seconds.
	Grace time.Duration
}

const (
	defaultLease    = time.Minute
	defaultPoll     = time.Second
	defaultKeepDead = 30 * 24 * time.Hour
	defaultGrace    = 5 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lease <= 0 {
		o.Lease = defaultLease
	}
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.KeepDead <= 0 {
		o.KeepDead = defaultKeepDead
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	return o
}

// Queue runs the jobs of one world. It is safe for concurrent use.
type Queue struct {
	db    *database.DB
	clock clock.Clock
	ids   *ids.Source
	log   *slog.Logger
	opts  Options
	owner string // names this queue in leases

	mu       sync.Mutex
	kinds    map[string]*Registration
	known    *queueKinds          // derived from kinds; nil until needed
	held     map[int64]*lease     // running or about to
	run      *dispatch.Dispatcher // nil when not started
	last     time.Time            // of the clock, to see it go back
	cycles   int                  // transactions under way that may claim
	changes  uint64               // counts changes of held
	changed  chan struct{}        // closed and replaced after each cycle
	watchers []*watcher           // never changed in place
	others   []func(context.Context) (waited bool, err error)

	done, failed, dead atomic.Int64
	walking            atomic.Bool // AdvanceJobsTo is on its way
	arrivals           ahead.Arrivals
}

// New returns a queue that knows no kinds and runs nothing yet.
func New(o Options) *Queue {
	o = o.withDefaults()
	owner := o.IDs.Hex(16)
	if o.Node != "" {
		owner = o.Node + "-" + owner
	}
	return &Queue{
		db: o.DB, clock: o.Clock, ids: o.IDs, log: o.Log, opts: o,
		owner:   owner,
		kinds:   map[string]*Registration{},
		held:    map[int64]*lease{},
		changed: make(chan struct{}),
	}
}

// Register makes kinds known. It panics when a name comes twice or the queue
// has been started: both are programming errors.
func (q *Queue) Register(kinds ...Registration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run != nil {
		panic("jobs: Register after Start")
	}
	for _, k := range kinds {
		if k.Name == "" {
			panic("jobs: registration was not made by Define")
		}
		if q.kinds[k.Name] != nil {
			panic(fmt.Sprintf("jobs: kind %q is registered twice", k.Name))
		}
		q.kinds[k.Name] = &k
	}
	q.known = nil
}

func (q *Queue) kind(name string) (*Registration, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.kinds[name]
	if k == nil {
		return nil, fmt.Errorf("%w %q", ErrUnknownKind, name)
	}
	return k, nil
}

// queueKinds is what follows from the registered kinds.
type queueKinds struct {
	all      *store.Kinds
	claims   *store.Queries // of all kinds, for Settle
	suspects *store.Queries
}

func (q *Queue) queueKinds() *queueKinds {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known == nil {
		kinds := make(map[string]store.Kind, len(q.kinds))
		for name, k := range q.kinds {
			kinds[name] = k.Kind.Kind
		}
		names := slices.Collect(maps.Keys(q.kinds))
		q.known = &queueKinds{
			all: store.NewKinds(kinds), claims: store.NewQueries(q.db, names...),
			suspects: store.NewSuspectQueries(q.db, names...),
		}
	}
	return q.known
}

// rewound reports whether the clock has gone back since the last cycle. A small
// step back is how clocks are kept right and does no harm.
func (q *Queue) rewound(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	back := q.last.Sub(now) > time.Second
	q.last = now
	return back
}

// Stats are what this process has done since it started.
type Stats struct {
	Done, Failed, Dead int64 // attempts that succeeded, failed, and failed for good
	Running            int64 // jobs held right now
}

// Stats costs no query.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	running := len(q.held)
	q.mu.Unlock()
	return Stats{Done: q.done.Load(), Failed: q.failed.Load(), Dead: q.dead.Load(), Running: int64(running)}
}

// Recover takes over every job that an earlier process of this node held when it ended:
// they are suspects. It is called before Start, by the process that owns the data
// folder: there all earlier ones are dead. Without a Node all others are.
func (q *Queue) Recover(ctx context.Context) error {
	now, like := q.clock.Now(), "%"
	if q.opts.Node != "" {
		like = q.opts.Node + "-%"
	}
	return q.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return leases.SuspectOthers(ctx, tx, q.owner, like, now)
	})
}
