package runner

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// errStopping is the cause with which runs end when the process does.
var errStopping = errors.New("pipelines: the worker is stopping")

// errUnwritten is the cause with which a run ends whose output could not be written for as long as its lease.
var errUnwritten = errors.New("pipelines: the database is away")

// pollInterval is how often a process on a shared database looks for jobs and cancellations of others.
const pollInterval = 300 * time.Millisecond

// claimKey is the lock under which jobs are given out.
const claimKey = "pipelines/claim"

// queue gives jobs to this process and keeps them by a lease. The jobs themselves are rows; nothing here is needed
// after a crash.
type queue struct {
	r *Runner
	// owner is the name of this process in leases.
	owner string

	mu       sync.Mutex
	held     map[int64]context.CancelCauseFunc
	watchers map[int64]map[chan struct{}]bool
	// slots are those of nodes, whatever jobs they belong to.
	slots *slots

	signal chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newQueue(r *Runner) *queue {
	return &queue{
		r: r, held: map[int64]context.CancelCauseFunc{}, watchers: map[int64]map[chan struct{}]bool{},
		signal: make(chan struct{}, 1),
	}
}

// start begins to run jobs, so many at once.
func (q *queue) start(ctx context.Context, capacity int) error {
	q.owner = q.r.world.IDs.Hex(16)
	if q.r.world.DB.Engine() == database.SQLite {
		// This process is the only one, so the holders of all leases are dead.
		if err := q.reap(ctx, q.r.now().Add(100*365*day)); err != nil {
			return err
		}
	}
	if capacity == 0 {
		return nil
	}
	if err := q.r.engine.Open(ctx); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	q.cancel, q.slots = cancel, newSlots(capacity, q.r.config.Queue.ownerSlots(capacity))
	slots := q.slots
	q.r.world.ShowPrograms(q.r.o.Service, func() world.Programs {
		return world.Programs{Counts: q.r.sandbox.Runs.Read(), Waiting: slots.waits()}
	})
	q.done.Go(func() { q.loop(running) })
	return nil
}

// close ends the loop and every run, and waits for both.
func (q *queue) close() error {
	if q.cancel == nil {
		return nil
	}
	q.cancel()
	q.mu.Lock()
	for _, cancel := range q.held {
		cancel(errStopping)
	}
	q.mu.Unlock()
	q.done.Wait()
	q.cancel = nil
	return q.r.engine.Close()
}

// wake makes the loop look for jobs.
func (q *queue) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// stop ends a run of this process whose job has ended otherwise.
func (q *queue) stop(id int64) { q.halt(id, execute.ErrCanceled) }

// halt ends a run of this process for a cause.
func (q *queue) halt(id int64, cause error) {
	q.mu.Lock()
	cancel := q.held[id]
	q.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// watch gives a channel that hears of changes to a job, and how to end it.
func (q *queue) watch(id int64) (heard <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.watchers[id] == nil {
		q.watchers[id] = map[chan struct{}]bool{}
	}
	q.watchers[id][c] = true
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.watchers[id], c)
		if len(q.watchers[id]) == 0 {
			delete(q.watchers, id)
		}
	}
}

// changed signals the watchers of a job.
func (q *queue) changed(id int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c := range q.watchers[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// loop claims jobs when slots are free, extends leases and ends those of dead workers.
func (q *queue) loop(ctx context.Context) {
	q.warn(ctx)
	shared := q.r.world.DB.Engine() == database.Postgres
	beat := q.r.machine.Now()
	for ctx.Err() == nil {
		q.fill(ctx)
		if now := q.r.machine.Now(); now.Sub(beat) >= q.r.config.Lease/3 {
			beat = now
			q.logFailure(ctx, "leases not extended", q.extend(ctx))
		}
		if shared {
			q.logFailure(ctx, "cancellations not read", q.stopLost(ctx))
		}
		q.wait(ctx, shared)
	}
}

// warn logs at the start why jobs could not run here.
func (q *queue) warn(ctx context.Context) {
	if _, real := q.r.engine.(*execute.Executor); !real || q.r.config.Untried {
		return
	}
	if q.r.cluster != nil {
		if err := q.r.cluster.Check(ctx); err != nil && ctx.Err() == nil {
			q.r.log.LogAttrs(ctx, slog.LevelWarn, "cluster not usable, jobs will end as infrastructure_fail",
				slog.Any("cause", err))
		}
		return
	}
	if err := q.r.sandbox.Check(ctx); err != nil && ctx.Err() == nil {
		q.r.log.LogAttrs(ctx, slog.LevelWarn, "sandbox not usable, jobs will end as infrastructure_fail",
			slog.Any("cause", err))
	}
}

// wait sleeps until there may be something to do.
func (q *queue) wait(ctx context.Context, shared bool) {
	pause := q.r.config.Lease / 3
	if shared {
		pause = pollInterval
	}
	timer := q.r.machine.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-q.signal:
	case <-timer.C:
	}
}

// logFailure logs a failure of the loop, which goes on.
func (q *queue) logFailure(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		q.r.log.LogAttrs(ctx, slog.LevelError, what, slog.Any("error", err))
	}
}

// fill gives the free slots of this process to nodes and jobs.
func (q *queue) fill(ctx context.Context) {
	v := q.slots.view()
	if v.free <= 0 && len(v.held) == 0 {
		return
	}
	if len(v.held) == 0 {
		// A look without the lock: mostly there is nothing to do.
		t, demands, err := q.readSchedule(ctx, q.r.world.DB, v)
		if err != nil || t.next(demands) < 0 {
			q.logFailure(ctx, "queue not read", err)
			return
		}
	}
	given, err := q.assign(ctx, v)
	if err != nil {
		q.logFailure(ctx, "job claim failed", err)
		q.slots.rewrite(given.nodes)
		if given.jobs, err = q.confirmed(ctx, given.jobs); err != nil {
			return // what was claimed after all is found when its lease ends
		}
		given.nodes = nil
	} else {
		q.slots.wrote(v.held)
	}
	for _, job := range given.nodes {
		q.slots.grant(job)
	}
	for i := range given.jobs {
		q.slots.admit(&given.jobs[i])
		q.begin(ctx, given.jobs[i])
	}
}

// confirmed are those of a failed claim that are ours all the same: the commit may have happened although its answer
// was lost. Another worker would run the rest a second time.
func (q *queue) confirmed(ctx context.Context, builds []build.Build) ([]build.Build, error) {
	var ours []build.Build
	for i := range builds {
		held, err := isHeld(ctx, q.r.world.DB, &builds[i])
		if err != nil {
			return nil, err
		}
		if held {
			ours = append(ours, builds[i])
		}
	}
	return ours, nil
}

// begin runs a claimed job beside the loop.
func (q *queue) begin(ctx context.Context, b build.Build) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	q.mu.Lock()
	q.held[b.ID] = cancel
	q.mu.Unlock()
	if ctx.Err() != nil {
		cancel(errStopping)
	}
	q.done.Go(func() {
		defer cancel(nil)
		q.r.run(running, &b)
		q.slots.forget(b.ID)
		q.mu.Lock()
		delete(q.held, b.ID)
		q.mu.Unlock()
		q.wake()
	})
}

// extend extends the leases of what this process runs and ends those of dead workers.
func (q *queue) extend(ctx context.Context) error {
	q.mu.Lock()
	ids := slices.Sorted(maps.Keys(q.held))
	q.mu.Unlock()
	now := q.r.now()
	if len(ids) > 0 {
		err := q.r.world.DB.WriteKeyed(ctx, claimKey, func(ctx context.Context, tx *database.Tx) error {
			return extendLeases(ctx, tx, q.owner, ids, now.Add(q.r.config.Lease))
		})
		if err != nil {
			return err
		}
	}
	return q.reap(ctx, now)
}

// reap ends jobs that no process runs any more: those of workers that are gone, and those of this one whose end it
// could not write.
func (q *queue) reap(ctx context.Context, before time.Time) error {
	lost, err := build.Overdue(ctx, q.r.world.DB, before)
	if err != nil {
		return err
	}
	for i := range lost {
		b := &lost[i]
		if b.Lease.Owner == q.owner && q.holds(b.ID) {
			continue
		}
		err := q.r.change(ctx, b.RepoID, func(ctx context.Context, tx *database.Tx) error {
			fresh, err := build.ByID(ctx, tx, b.ID)
			if err != nil || fresh.Lease != b.Lease {
				return err // another process has ended it
			}
			return q.r.Finish(ctx, tx, &fresh, build.Event{Kind: build.EventLost},
				"the worker that ran the job is gone")
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !build.IsTransition(err) && !errors.Is(err, build.ErrLeaseLost) {
			// The next round tries it again; one job does not stop the others.
			q.r.log.LogAttrs(ctx, slog.LevelError, "lost job not ended", slog.Int64("job", b.ID),
				slog.Any("error", err))
		}
	}
	return nil
}

// holds reports whether this process runs a job.
func (q *queue) holds(id int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held[id] != nil
}

// stopLost ends runs whose jobs were ended by another process.
func (q *queue) stopLost(ctx context.Context) error {
	q.mu.Lock()
	mine := maps.Clone(q.held)
	q.mu.Unlock()
	if len(mine) == 0 {
		return nil
	}
	ids, err := listHeld(ctx, q.r.world.DB, q.owner)
	if err != nil {
		return err
	}
	for _, id := range ids {
		delete(mine, id)
	}
	for _, cancel := range mine {
		cancel(execute.ErrCanceled)
	}
	return nil
}
