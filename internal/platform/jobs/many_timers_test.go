package jobs

import (
	"cmp"
	"context"
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var timers = flag.Int("timers", 500, "how many timers one step of thirty days meets")

const thirtyDays = 30 * 24 * time.Hour

// TestManyTimers: one step of thirty days runs every timer on the way, once, at its time
// and in the order of their times, before it returns; where the clock is set instead,
// they run in the same order at the end.
func TestManyTimers(t *testing.T) {
	t.Parallel()
	t.Run("advance", func(t *testing.T) {
		manyTimers(t, true, func(ctx context.Context, w *testQueue) error {
			return w.AdvanceJobsTo(ctx, w.clock, epoch.Add(thirtyDays))
		})
	})
	t.Run("set", func(t *testing.T) {
		manyTimers(t, false, func(ctx context.Context, w *testQueue) error {
			w.clock.Set(epoch.Add(thirtyDays))
			return w.Settle(ctx)
		})
	})
}

func manyTimers(t *testing.T, onTime bool, step func(context.Context, *testQueue) error) {
	each(t, func(t *testing.T, w *testQueue) {
		kinds := []string{"alarm", "timer"}
		for _, kind := range kinds {
			w.define(Kind[note]{Name: kind}, nil)
		}
		due := timersOfAMonth(*timers)
		for first := 0; first < len(due); first += 1000 {
			var jobs []Enqueue
			for i, at := range due[first:min(first+1000, len(due))] {
				jobs = append(jobs, Enqueue{Kind: kinds[i%2], Payload: note{first + i}, At: at})
			}
			w.put(jobs...)
		}
		began := time.Now()
		if err := step(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		ran := w.runs()
		for i, r := range ran {
			if want := due[r.N]; onTime && !r.At.Equal(want) {
				t.Fatalf("timer %d ran at %s, want %s", r.N, r.At, want)
			}
			if i > 0 && inOrder(due, ran[i-1].N, r.N) >= 0 {
				t.Fatalf("timer %d of %s ran after timer %d of %s", r.N, due[r.N], ran[i-1].N, due[ran[i-1].N])
			}
		}
		// In strict order none can come twice.
		if len(ran) != len(due) {
			t.Errorf("%d runs of %d timers", len(ran), len(due))
		}
		if left := w.counts(); len(left) != 0 {
			t.Errorf("left in the table: %v, want nothing", left)
		}
		t.Logf("%d timers in %.2f s, %.1f s for 100,000", len(ran), took.Seconds(),
			took.Seconds()*100_000/float64(len(due)))
	})
}

// timersOfAMonth are the times of n timers, in no order. Most have one of their own; of
// the others more are due at once than are claimed at once.
func timersOfAMonth(n int) []time.Time {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	due := make([]time.Time, n)
	for i := range due {
		after := time.Duration(random.Int64N(int64(thirtyDays)))
		switch i % 10 {
		case 0:
			after = after.Truncate(thirtyDays / 4)
		case 1:
			after = after.Truncate(time.Hour)
		}
		due[i] = epoch.Add(after.Truncate(time.Microsecond))
	}
	return due
}

// inOrder compares two timers by their times; those of one time by when they were set.
func inOrder(due []time.Time, a, b int) int {
	return cmp.Or(due[a].Compare(due[b]), cmp.Compare(a, b))
}
