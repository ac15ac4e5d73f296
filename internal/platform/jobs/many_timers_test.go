package jobs

import (
	"cmp"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

var (
	timers      = flag.Int("timers", 500, "how many timers one step of thirty days meets")
	per100k     = flag.Duration("per-100k", 0, "how much processor time 100,000 of them may take; 0 only tells it")
	timerRounds = flag.Int("timer-rounds", 1, "of how many such steps the fastest counts")
)

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
		for _, kind := range timerKinds() {
			w.define(Kind[note]{Name: kind}, nil)
		}
		due := w.putTimers(*timers)
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
		t.Logf("%s: %d timers in %.2f s", w.db.Engine(), len(ran), took.Seconds())
	})
}

func timerKinds() []string { return []string{"alarm", "timer"} }

// putTimers enqueues n timers within thirty days from now on and returns their times.
func (w *testQueue) putTimers(n int) []time.Time {
	kinds, due := timerKinds(), timersOfAMonth(w.clock.Now(), n)
	for first := 0; first < len(due); first += 1000 {
		var jobs []Enqueue
		for i, at := range due[first:min(first+1000, len(due))] {
			jobs = append(jobs, Enqueue{Kind: kinds[i%2], Payload: note{first + i}, At: at})
		}
		w.put(jobs...)
	}
	return due
}

// TestTimeOfManyTimers says what processor time they take where virtual clocks are, on
// SQLite; what passes meanwhile depends on what else the machine does. Not parallel: that is
// counted for the process.
func TestTimeOfManyTimers(t *testing.T) {
	w := newTestQueue(t, databases.SQLite(t), clock.NewVirtual(epoch))
	for _, kind := range timerKinds() {
		w.define(Kind[note]{Name: kind}, nil)
	}
	least, shortest := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range max(1, *timerRounds) {
		w.putTimers(*timers)
		cpu, began := processorTime(t), time.Now()
		if err := w.AdvanceJobsTo(t.Context(), w.clock, w.clock.Now().Add(thirtyDays)); err != nil {
			t.Fatal(err)
		}
		shortest, least = min(shortest, time.Since(began)), min(least, processorTime(t)-cpu)
		if ran := len(w.runs()); ran != *timers {
			t.Errorf("%d runs of %d timers", ran, *timers)
		}
	}
	all := least * 100_000 / time.Duration(*timers)
	t.Logf("%d timers in %.2f s, with %.2f s of a processor, which is %.1f s for 100,000", *timers, shortest.Seconds(),
		least.Seconds(), all.Seconds())
	if *per100k > 0 && all > *per100k {
		t.Errorf("100,000 timers take %s of a processor, want at most %s", all, *per100k)
	}
}

// processorTime is what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timersOfAMonth are the times of n timers within thirty days, in no order. Most have one of their own; of
// the others more are due at once than are claimed at once.
func timersOfAMonth(began time.Time, n int) []time.Time {
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
		due[i] = began.Add(after.Truncate(time.Microsecond))
	}
	return due
}

// inOrder compares two timers by their times; those of one time by when they were set.
func inOrder(due []time.Time, a, b int) int {
	return cmp.Or(due[a].Compare(due[b]), cmp.Compare(a, b))
}
