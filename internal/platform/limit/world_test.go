package limit

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)

// world is a limiter on a virtual clock.
type world struct {
	*Limiter
	t     testing.TB
	clock *clock.Virtual
	db    *database.DB
}

// each runs fn on both ways of counting.
func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		fn(t, newWorld(t, db, 0))
	})
}

// run is a subtest on the same database. Its clock starts anew; its windows and
// keys need names of their own.
func (w *world) run(name string, fn func(t *testing.T, w *world)) {
	w.t.(*testing.T).Run(name, func(t *testing.T) { fn(t, newWorld(t, w.db, 0)) })
}

func newWorld(t testing.TB, db *database.DB, maxKeys int) *world {
	v := clock.NewVirtual(epoch)
	return &world{Limiter: New(Options{DB: db, Clock: v, MaxKeys: maxKeys}), t: t, clock: v, db: db}
}

// another is a second process; on SQLite there is only one, so it is the same.
func (w *world) another() *Limiter {
	if w.db != nil && w.db.Engine() == database.Postgres {
		return New(Options{DB: w.db, Clock: w.clock})
	}
	return w.Limiter
}

// take charges and returns the decision, refused or not.
func (w *world) take(win Window, key string, cost int64) Decision {
	w.t.Helper()
	d, err := w.Take(w.t.Context(), win, key, cost)
	return w.checked(d, err)
}

func (w *world) checked(d Decision, err error) Decision {
	w.t.Helper()
	var exceeded *Exceeded
	if errors.As(err, &exceeded) {
		if exceeded.Decision != d || d.Allowed {
			w.t.Errorf("refusal carries %+v, decision is %+v", exceeded.Decision, d)
		}
		return d
	}
	if err != nil {
		w.t.Fatalf("take: %v", err)
	}
	return d
}

func (w *world) takeAll(charges ...Charge) ([]Decision, *Exceeded) {
	w.t.Helper()
	ds, err := w.TakeAll(w.t.Context(), charges)
	var exceeded *Exceeded
	if err != nil && !errors.As(err, &exceeded) {
		w.t.Fatalf("take all: %v", err)
	}
	return ds, exceeded
}

// want compares what a caller sees of a decision.
func (w *world) want(what string, got Decision, allowed bool, used, remaining int64, reset time.Duration,
	retry time.Duration) {
	w.t.Helper()
	type seen struct {
		Allowed         bool
		Used, Remaining int64
		Reset, Retry    time.Duration
	}
	g := seen{got.Allowed, got.Used, got.Remaining, got.Reset.Sub(epoch), got.RetryAfter}
	if want := (seen{allowed, used, remaining, reset, retry}); g != want {
		w.t.Errorf("%s: got %+v, want %+v", what, g, want)
	}
}
