package pipelines

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// errStopping is the cause with which runs end when the process does.
var errStopping = errors.New("pipelines: the worker is stopping")

// errUnwritten is the cause with which a run ends whose output could not be
// written for as long as its lease.
var errUnwritten = errors.New("pipelines: the database is away")

// pollEvery is how often a process on a shared database looks for jobs and
// cancellations of others.
const pollEvery = 300 * time.Millisecond

// claimKey is the lock under which jobs are given out.
const claimKey = "pipelines/claim"

// queue gives jobs to this process and keeps them by a lease. The jobs
// themselves are rows; nothing here is needed after a crash.
type queue struct {
	s     *Service
	owner string

	mu       sync.Mutex
	held     map[int64]context.CancelCauseFunc
	watchers map[int64]map[chan struct{}]bool
	// followers counts the streams of each address.
	followers map[string]int
	// places are those of nodes, whatever jobs they belong to.
	places *places

	signal chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newQueue(s *Service) *queue {
	return &queue{
		s: s, owner: s.world.IDs.Hex(16), held: map[int64]context.CancelCauseFunc{},
		watchers: map[int64]map[chan struct{}]bool{}, followers: map[string]int{}, signal: make(chan struct{}, 1),
	}
}

// start begins to run jobs, so many at once.
func (q *queue) start(ctx context.Context, capacity int) error {
	if q.s.world.DB.Engine() == database.SQLite {
		// This process is the only one, so whoever held jobs is dead.
		if err := q.reap(ctx, q.s.now().Add(100*365*day)); err != nil {
			return err
		}
	}
	if capacity == 0 {
		return nil
	}
	if err := q.s.engine.Open(ctx); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	q.cancel, q.places = cancel, newPlaces(capacity, q.s.config.Queue.ownerPlaces(capacity))
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
	return q.s.engine.Close()
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

// How many streams of events there are at once, in all and to one address.
// Browsers open one for each page.
const (
	mostStreams  = 512
	mostOfOne    = 32
	streamsAgain = 10 * time.Second
)

func tooManyStreams(most int64) error {
	return &limit.Exceeded{Decision: limit.Decision{Name: "pipelines.streams", Limit: most, Used: most, RetryAfter: streamsAgain}}
}

// follow takes the place of a stream to an address, and says how to leave it.
func (q *queue) follow(address string) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	total := 0
	for _, n := range q.followers {
		total += n
	}
	switch {
	case q.followers[address] >= mostOfOne:
		return nil, tooManyStreams(mostOfOne)
	case total >= mostStreams:
		return nil, tooManyStreams(mostStreams)
	}
	q.followers[address]++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.followers[address]--; q.followers[address] == 0 {
			delete(q.followers, address)
		}
	}, nil
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

// changed tells those who watch a job.
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

// loop claims jobs when there is room, keeps leases and looks after those of
// dead workers.
func (q *queue) loop(ctx context.Context) {
	q.warn(ctx)
	shared := q.s.world.DB.Engine() == database.Postgres
	beat := q.s.pace.Now()
	for ctx.Err() == nil {
		q.fill(ctx)
		if now := q.s.pace.Now(); now.Sub(beat) >= q.s.config.Lease/3 {
			beat = now
			q.report(ctx, "leases could not be kept", q.keep(ctx))
		}
		if shared {
			q.report(ctx, "cancellations could not be read", q.noticeLost(ctx))
		}
		q.wait(ctx, shared)
	}
}

// warn says at the start, in words, why jobs could not run here.
func (q *queue) warn(ctx context.Context) {
	if _, real := q.s.engine.(*execute.Executor); !real {
		return
	}
	if err := q.s.sandbox.Check(ctx); err != nil && ctx.Err() == nil {
		q.s.world.Telemetry.Log.Warn("jobs will end as infrastructure_fail", "service", Name, "cause", err)
	}
}

// wait sleeps until there may be something to do.
func (q *queue) wait(ctx context.Context, shared bool) {
	pause := q.s.config.Lease / 3
	if shared {
		pause = pollEvery
	}
	timer := q.s.pace.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-q.signal:
	case <-timer.C:
	}
}

// report logs a failure of the loop, which goes on.
func (q *queue) report(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		q.s.world.Telemetry.Log.Error(what, "service", Name, "error", err)
	}
}

// fill gives the free places of this process to nodes and jobs.
func (q *queue) fill(ctx context.Context) {
	v := q.places.view()
	if v.free <= 0 && len(v.held) == 0 {
		return
	}
	if len(v.held) == 0 {
		// A look without the lock: mostly there is nothing to do.
		t, demands, err := q.readTurns(ctx, q.s.world.DB, v)
		if err != nil || t.next(demands) < 0 {
			q.report(ctx, "the queue could not be read", err)
			return
		}
	}
	given, err := q.assign(ctx, v)
	if err != nil {
		q.report(ctx, "no job could be claimed", err)
		q.places.doubt(given.nodes)
		if given.jobs, err = q.confirmed(ctx, given.jobs); err != nil {
			return // what was claimed after all is found when its lease ends
		}
		given.nodes = nil
	} else {
		q.places.wrote(v.held)
	}
	for _, job := range given.nodes {
		q.places.grant(job)
	}
	for i := range given.jobs {
		q.places.admit(&given.jobs[i])
		q.begin(ctx, given.jobs[i])
	}
}

// confirmed are those of a claim which failed that are ours all the same: the
// commit may have happened although its answer was lost. Others would run the
// rest a second time.
func (q *queue) confirmed(ctx context.Context, builds []Build) ([]Build, error) {
	var ours []Build
	for i := range builds {
		held, err := holding(ctx, q.s.world.DB, &builds[i])
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
func (q *queue) begin(ctx context.Context, b Build) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	q.mu.Lock()
	q.held[b.ID] = cancel
	q.mu.Unlock()
	if ctx.Err() != nil {
		cancel(errStopping)
	}
	q.done.Go(func() {
		defer cancel(nil)
		q.s.run(running, &b)
		q.places.forget(b.ID)
		q.mu.Lock()
		delete(q.held, b.ID)
		q.mu.Unlock()
		q.wake()
	})
}

// keep extends the leases of what this process runs and ends those of dead ones.
func (q *queue) keep(ctx context.Context) error {
	q.mu.Lock()
	ids := slices.Sorted(maps.Keys(q.held))
	q.mu.Unlock()
	now := q.s.now()
	if len(ids) > 0 {
		err := q.s.world.DB.WriteKeyed(ctx, claimKey, func(ctx context.Context, tx *database.Tx) error {
			return extendLeases(ctx, tx, q.owner, ids, now.Add(q.s.config.Lease))
		})
		if err != nil {
			return err
		}
	}
	return q.reap(ctx, now)
}

// reap ends jobs that nobody runs any more: those of workers that are gone, and
// those of this one whose end it could not write.
func (q *queue) reap(ctx context.Context, before time.Time) error {
	lost, err := overdue(ctx, q.s.world.DB, before)
	if err != nil {
		return err
	}
	for i := range lost {
		b := &lost[i]
		if b.lease.owner == q.owner && q.holds(b.ID) {
			continue
		}
		err := q.s.change(ctx, b.RepoID, func(ctx context.Context, tx *database.Tx) error {
			fresh, err := buildByID(ctx, tx, b.ID)
			if err != nil || fresh.lease != b.lease {
				return err // somebody else has looked after it
			}
			return q.s.finish(ctx, tx, &fresh, Event{Kind: EventLost}, "the worker that ran the job is gone")
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !isTransition(err) && !errors.Is(err, errLeaseLost) {
			// The next round tries it again; one job holds up no others.
			q.s.world.Telemetry.Log.Error("a lost job could not be ended", "service", Name, "job", b.ID, "error", err)
		}
	}
	return nil
}

// holds tells that this process runs a job at this moment.
func (q *queue) holds(id int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held[id] != nil
}

// noticeLost ends runs whose jobs were ended by another process.
func (q *queue) noticeLost(ctx context.Context) error {
	q.mu.Lock()
	mine := make(map[int64]context.CancelCauseFunc, len(q.held))
	for id, cancel := range q.held {
		mine[id] = cancel
	}
	q.mu.Unlock()
	if len(mine) == 0 {
		return nil
	}
	ids, err := heldBy(ctx, q.s.world.DB, q.owner)
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
