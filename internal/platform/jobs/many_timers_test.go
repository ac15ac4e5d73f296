package jobs

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var timers = flag.Int("timers", 500, "how many timers one step of thirty days meets")

// TestManyTimers: one step of thirty days runs every timer on the way, once, at its time
// and in the order of their times, before it returns.
func TestManyTimers(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		const days = 30 * 24 * time.Hour
		random := rand.New(rand.NewPCG(uint64(*timers), 0))
		w.define(Kind[note]{Name: "timer"}, nil)
		due, jobs := make([]time.Time, *timers), make([]Enqueue, *timers)
		for i := range due {
			due[i] = epoch.Add(time.Duration(random.Int64N(int64(days))).Truncate(time.Microsecond))
			jobs[i] = Enqueue{Kind: "timer", Payload: note{i}, At: due[i]}
		}
		for batch := range slices.Chunk(jobs, 1000) {
			w.put(batch...)
		}
		began := time.Now()
		if err := w.AdvanceJobsTo(t.Context(), w.clock, epoch.Add(days)); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		ran := w.runs()
		times := map[int]int{}
		for i, r := range ran {
			times[r.N]++
			if !r.At.Equal(due[r.N]) {
				t.Fatalf("timer %d ran at %s, want %s", r.N, r.At, due[r.N])
			}
			if i > 0 && r.At.Before(ran[i-1].At) {
				t.Fatalf("timer %d of %s ran after one of %s", r.N, r.At, ran[i-1].At)
			}
		}
		if len(ran) != *timers || len(times) != *timers {
			t.Errorf("%d runs of %d timers, want %d of each", len(ran), len(times), *timers)
		}
		if left := w.counts(); len(left) != 0 {
			t.Errorf("left in the table: %v, want nothing", left)
		}
		t.Logf("%d timers in %.2f s, %.1f s for 100,000", len(ran), took.Seconds(),
			took.Seconds()*100_000/float64(*timers))
	})
}
