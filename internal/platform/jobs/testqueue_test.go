package jobs

import (
	"context"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// guard bounds what a test waits for in real time.
const guard = 2 * time.Minute

// note is the payload of most kinds here.
type note struct{ N int }

// testQueue is a queue on a virtual clock, and what its jobs did.
type testQueue struct {
	*Queue
	t     *testing.T
	db    *database.DB
	clock *clock.Virtual

	mu  sync.Mutex
	log []ran
}

type ran struct {
	Kind    string
	N       int
	Attempt int
	At      time.Time
	Asked   time.Time
}

// each runs fn on both databases.
func each(t *testing.T, fn func(t *testing.T, w *testQueue)) {
	t.Helper()
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		fn(t, newTestQueue(t, db, clock.NewVirtual(epoch)))
	})
}

func newTestQueue(t *testing.T, db *database.DB, v *clock.Virtual) *testQueue {
	return &testQueue{
		Queue: New(Options{DB: db, Clock: v, IDs: ids.Seeded(1)}),
		t:     t, db: db, clock: v,
	}
}

// another is a second process on the same database and clock.
func (w *testQueue) another() *testQueue {
	return &testQueue{Queue: New(Options{DB: w.db, Clock: w.clock, IDs: ids.Random()}), t: w.t, db: w.db, clock: w.clock}
}

// define registers a kind that notes its runs and returns what fail says.
func (w *testQueue) define(k Kind[note], fail func(Job, note) error) {
	k.Run = func(_ context.Context, j Job, p note) error {
		w.note(j, p)
		if fail != nil {
			return fail(j, p)
		}
		return nil
	}
	w.Register(Define(k))
}

func (w *testQueue) note(j Job, p note) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, ran{j.Kind, p.N, j.Attempt, w.clock.Now(), j.Asked})
}

// runs takes the log so far.
func (w *testQueue) runs() []ran {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.log
	w.log = nil
	return log
}

// numbers are the payloads that ran, in order.
func (w *testQueue) numbers() []int {
	var ns []int
	for _, r := range w.runs() {
		ns = append(ns, r.N)
	}
	return ns
}

func (w *testQueue) put(es ...Enqueue) (ids []string) {
	w.t.Helper()
	err := w.db.Write(w.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		ids = ids[:0]
		for _, e := range es {
			id, err := w.Enqueue(w.t.Context(), tx, e)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		w.t.Fatalf("enqueue: %v", err)
	}
	return ids
}

// AdvanceTo stops at the due times of schedules too.
func (w *testQueue) AdvanceTo(ctx context.Context, v *clock.Virtual, t time.Time) error {
	return w.advance(ctx, v, t, nil)
}

func (w *testQueue) settle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), guard)
	defer cancel()
	if err := w.Settle(ctx); err != nil {
		w.t.Fatalf("settle: %v", err)
	}
}

// counts maps "kind state" to a number.
func (w *testQueue) counts() map[string]int64 {
	w.t.Helper()
	counts, err := w.Counts(w.t.Context())
	if err != nil {
		w.t.Fatalf("counts: %v", err)
	}
	m := map[string]int64{}
	for _, c := range counts {
		m[c.Kind+" "+string(c.State)] = c.N
	}
	return m
}

func (w *testQueue) start(workers int) {
	w.t.Helper()
	if err := w.Start(w.t.Context(), workers); err != nil {
		w.t.Fatalf("start: %v", err)
	}
	w.t.Cleanup(func() { w.stop() })
}

func (w *testQueue) stop() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := w.Stop(ctx); err != nil {
		w.t.Errorf("stop: %v", err)
	}
}
