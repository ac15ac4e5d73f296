package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// State is where a job stands.
type State string

// The states of a job. A finished job is deleted.
const (
	Ready   State = "ready"   // waits for its due time and a worker
	Blocked State = "blocked" // waits for the job before it on its lane
	Running State = "running" // held by a worker under a lease
	Suspect State = "suspect" // its process ended; waits to be run alone
	Dead    State = "dead"    // out of attempts or failed for good
)

// States lists them all.
func States() []State { return []State{Ready, Blocked, Running, Suspect, Dead} }

// Info is a job as operators see it.
type Info struct {
	Job
	State    State
	Payload  []byte    // JSON
	Holder   string    // the process that has the lease, while running
	Deaths   int       // processes that ended while they held it
	ClaimAt  time.Time // next attempt, or end of the lease while running
	Error    string    // of the last failed attempt
	FailedAt time.Time // zero if none failed
}

// Filter selects jobs; zero fields select all.
type Filter struct {
	State State
	Kind  string
	Owner string
	Key   string
	// After is the id of the last job of the page before.
	After string
	// Limit is at most 1000; zero means 100.
	Limit int
}

const (
	defaultPage = 100
	maxPage     = 1000
)

// List shows jobs in enqueue order.
func (q *Queue) List(ctx context.Context, f Filter) ([]Info, error) {
	var after int64
	if f.After != "" {
		var err error
		if after, err = parseID(f.After); err != nil {
			return nil, err
		}
	}
	if f.Limit <= 0 {
		f.Limit = defaultPage
	}
	f.Limit = min(f.Limit, maxPage)
	return listJobs(ctx, q.db, f, after)
}

// Get shows one job; ErrNotFound if it does not exist or has finished.
func (q *Queue) Get(ctx context.Context, id string) (Info, error) {
	seq, err := parseID(id)
	if err != nil {
		return Info{}, err
	}
	return getJob(ctx, q.db, seq)
}

// Retry makes a dead or waiting job due now, with all its attempts again. On a
// lane it still waits for its turn.
func (q *Queue) Retry(ctx context.Context, id string) error {
	return q.change(ctx, id, func(tx *database.Tx, i Info, seq int64) error {
		now := q.clock.Now()
		if err := requeue(ctx, tx, seq, now); err != nil {
			return err
		}
		if i.Key == "" || i.State == Ready || i.State == Suspect {
			tx.OnCommit(func() { q.wake(i.Kind, insertedRow{state: Ready, claimAt: now}) })
		}
		return nil
	})
}

// Discard deletes a job that is not running. On a lane the next one follows.
func (q *Queue) Discard(ctx context.Context, id string) error {
	return q.change(ctx, id, func(tx *database.Tx, _ Info, seq int64) error {
		return deleteJob(ctx, tx, seq)
	})
}

// operate changes a job that is not running and then lets its lane go on.
func (q *Queue) change(ctx context.Context, id string, change func(*database.Tx, Info, int64) error) error {
	seq, err := parseID(id)
	if err != nil {
		return err
	}
	return q.db.WriteKeyed(ctx, "jobs:operate", func(ctx context.Context, tx *database.Tx) error {
		i, err := getJob(ctx, tx, seq)
		if err != nil {
			return err
		}
		if i.State == Running {
			return ErrState
		}
		var lane []string
		if i.Key != "" {
			lane = []string{i.Key}
		}
		if err := lockLanes(ctx, tx, lane); err != nil {
			return err
		}
		if err := change(tx, i, seq); err != nil {
			return err
		}
		heads, err := promote(ctx, tx, lane)
		for _, h := range heads {
			tx.OnCommit(func() { q.wake(h.kind, insertedRow{state: Ready, claimAt: h.at}) })
		}
		return err
	})
}

// Count is how many jobs of a kind are in a state.
type Count struct {
	Kind  string
	State State
	N     int64
}

// Counts are the jobs in the table, for metrics and the console.
func (q *Queue) Counts(ctx context.Context) ([]Count, error) {
	return countJobs(ctx, q.db)
}
