package ahead_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/ahead"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestN: more are claimed at once the longer nothing came between, and none after.
func TestN(t *testing.T) {
	t.Parallel()
	w := &ahead.Walk{Clock: clock.NewVirtual(epoch), Until: epoch.Add(time.Hour)}
	for i, c := range []struct {
		ran  int
		all  bool
		want int
	}{{0, true, 0}, {1, true, 1}, {2, true, 3}, {5, false, 0}, {200, true, 200}, {200, true, 256}} {
		if w.Ran(c.ran, c.all); w.N() != c.want {
			t.Errorf("step %d: %d are claimed ahead, want %d", i, w.N(), c.want)
		}
	}
}

// TestStep moves the clock, and not beyond the end.
func TestStep(t *testing.T) {
	t.Parallel()
	w := &ahead.Walk{Clock: clock.NewVirtual(epoch), Until: epoch.Add(time.Hour)}
	for _, next := range []time.Duration{time.Minute, time.Hour, time.Hour + 1} {
		want := epoch.Add(min(next, time.Hour))
		if got := w.Step(epoch.Add(next)); !got.Equal(want) || !w.Clock.Now().Equal(want) {
			t.Errorf("step to %s: the time is %s, want %s", next, got, want)
		}
	}
}

// TestArrivals: the earliest since the last reset.
func TestArrivals(t *testing.T) {
	t.Parallel()
	var a ahead.Arrivals
	for _, after := range []time.Duration{2, 1, 3} {
		a.Note(epoch.Add(after))
	}
	if got := a.First(); !got.Equal(epoch.Add(1)) {
		t.Errorf("first is %s, want the earliest", got)
	}
	if a.Reset(); !a.First().Equal(database.MaxTime()) {
		t.Errorf("after a reset the first is %s", a.First())
	}
}
