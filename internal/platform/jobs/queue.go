package jobs

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
)

//go:embed migrations/*.sql
var files embed.FS

// Migrations create the tables of jobs and schedules.
func Migrations() database.Migrations { return database.Embedded("jobs", files) }

// Options are what a Queue is built on. DB, Clock and IDs are required.
type Options struct {
	DB    *database.DB
	Clock clock.Clock
	IDs   *ids.Source
	// Log gets a line for each failed attempt; nil is silent.
	Log *slog.Logger
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

	mu            sync.Mutex
	kinds         map[string]*Registration
	allClaims     *claimQueries    // of all kinds, for Settle; nil until needed
	suspectClaims *claimQueries    // the same of suspects
	held          map[int64]*claim // running or about to
	run           *dispatcher      // nil when not started
	last          time.Time        // of the clock, to see it go back
	cycles        int              // transactions under way that may claim
	changes       uint64           // counts changes of held
	changed       chan struct{}    // closed and replaced after each cycle

	done, failed, dead atomic.Int64
}

// New returns a queue that knows no kinds and runs nothing yet.
func New(o Options) *Queue {
	o = o.withDefaults()
	return &Queue{
		db: o.DB, clock: o.Clock, ids: o.IDs, log: o.Log, opts: o,
		owner:   o.IDs.Hex(16),
		kinds:   map[string]*Registration{},
		held:    map[int64]*claim{},
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
		if k.name == "" {
			panic("jobs: registration was not made by Define")
		}
		if q.kinds[k.name] != nil {
			panic(fmt.Sprintf("jobs: kind %q is registered twice", k.name))
		}
		q.kinds[k.name] = &k
	}
	q.allClaims, q.suspectClaims = nil, nil
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

// Recover takes over every job that another process held when it ended: they are
// suspects. Only the process that owns a data folder alone may call it, before
// Start: there all others are dead.
func (q *Queue) Recover(ctx context.Context) error {
	now := q.clock.Now()
	return q.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return suspectOthers(ctx, tx, q.owner, now)
	})
}
