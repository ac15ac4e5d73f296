package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// TestWalkIsTheSameRun: AdvanceJobsTo claims many jobs before their times. Jobs that cause
// others, fail, wait in lanes or join others run as if each were claimed at its time.
func TestWalkIsTheSameRun(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		for _, name := range []string{"plain", "cause", "fail", "joined"} {
			w.defineBusy(name)
		}
		var runs [2][]string
		for i, advance := range []func(context.Context, *clock.Virtual, time.Time) error{w.AdvanceTo, w.AdvanceJobsTo} {
			began := w.clock.Now()
			w.put(busyMonth(began)...)
			if err := advance(t.Context(), w.clock, began.Add(thirtyDays)); err != nil {
				t.Fatal(err)
			}
			for _, r := range w.runs() {
				runs[i] = append(runs[i], fmt.Sprintf("%s %d at %s, attempt %d", r.Kind, r.N, r.At.Sub(began), r.Attempt))
			}
			if left := w.counts(); len(left) != 0 {
				t.Fatalf("left: %v", left)
			}
		}
		if len(runs[0]) < 630 {
			t.Errorf("%d runs, want more than jobs were put", len(runs[0]))
		}
		for i := range min(len(runs[0]), len(runs[1])) {
			if runs[0][i] != runs[1][i] {
				t.Fatalf("run %d: %q one by one, %q in batches", i, runs[0][i], runs[1][i])
			}
		}
		if len(runs[0]) != len(runs[1]) {
			t.Errorf("%d runs one by one, %d in batches", len(runs[0]), len(runs[1]))
		}
	})
}

// defineBusy registers a kind by its name: some cause jobs before or after the next one,
// some of which join one that waits; some fail once.
func (w *testQueue) defineBusy(name string) {
	w.Register(Define(Kind[note]{Name: name, Run: func(ctx context.Context, j Job, p note) error {
		w.note(j, p)
		if name == "fail" && j.Attempt == 1 {
			return RetryAfter(errors.New("once more"), time.Duration(p.N)*time.Minute)
		}
		if name != "cause" {
			return nil
		}
		return w.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			at := w.clock.Now().Add(time.Duration(p.N%7) * time.Hour)
			for _, e := range []Enqueue{
				{Kind: "plain", Payload: note{1000 + p.N}, At: at},
				{Kind: "joined", Payload: note{2000 + p.N}, At: at, Dedupe: fmt.Sprint(p.N / 20 % 4)},
				{Kind: "plain", Payload: note{3000 + p.N}, At: at, Key: fmt.Sprint(p.N % 2)},
			} {
				if _, err := w.Enqueue(ctx, tx, e); err != nil {
					return err
				}
			}
			return nil
		})
	}}))
}

func busyMonth(began time.Time) (jobs []Enqueue) {
	random := rand.New(rand.NewPCG(7, 0))
	for n := range 600 {
		// The last day is left to what they cause.
		at := began.Add(time.Duration(random.Int64N(int64(thirtyDays - 24*time.Hour))).Truncate(time.Minute))
		e := Enqueue{Kind: "plain", Payload: note{n}, At: at}
		switch n % 20 {
		case 0:
			e.Kind = "cause"
		case 1:
			e.Kind = "fail"
		case 2:
			e.Key = fmt.Sprint(n % 3)
		case 3:
			e.Kind, e.Dedupe = "joined", fmt.Sprint(n/20%4)
		}
		jobs = append(jobs, e)
	}
	return jobs
}

// TestWalkThatEnded: a process that ends on the way holds jobs that are not due yet. They
// wait for their times.
func TestWalkThatEnded(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		next := w.another()
		for _, q := range []*testQueue{w, next} {
			q.define(Kind[note]{Name: "a"}, nil)
		}
		for n := range 40 {
			w.put(Enqueue{Kind: "a", Payload: note{n}, At: epoch.Add(time.Duration(n) * time.Hour)})
		}
		ctx, end := context.WithCancel(t.Context())
		w.Watch(func(r Ran) {
			if r.At.Equal(epoch.Add(20 * time.Hour)) {
				if err := next.Recover(t.Context()); err != nil { // nothing of the first counts any more
					t.Error(err)
				}
				end()
			}
		})
		if err := w.AdvanceJobsTo(ctx, w.clock, epoch.Add(48*time.Hour)); !errors.Is(err, context.Canceled) {
			t.Fatalf("advance: %v, want canceled", err)
		}
		if err := next.AdvanceTo(t.Context(), w.clock, epoch.Add(48*time.Hour)); err != nil {
			t.Fatal(err)
		}
		var later []int
		for _, r := range next.runs() {
			if due := epoch.Add(time.Duration(r.N) * time.Hour); r.At.Before(due) {
				t.Errorf("job %d ran at %s, before it was due at %s", r.N, r.At, due)
			}
			if r.N > 20 {
				later = append(later, r.N)
			}
		}
		if len(later) != 19 || !slices.IsSorted(later) {
			t.Errorf("later ran %v, want 21 to 39", later)
		}
	})
}

// TestWaitThatFails: what ran before other work could not be waited for is written.
func TestWaitThatFails(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, nil)
		w.put(Enqueue{Kind: "a", Payload: note{1}}, Enqueue{Kind: "a", Payload: note{2}, At: epoch.Add(time.Hour)})
		failed := errors.New("the work does not end")
		var rounds int
		w.Await(func(context.Context) (bool, error) {
			if rounds++; rounds == 2 {
				return false, failed
			}
			return false, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), guard)
		defer cancel()
		if err := w.AdvanceJobsTo(ctx, w.clock, epoch.Add(2*time.Hour)); !errors.Is(err, failed) {
			t.Fatalf("advance: %v, want %v", err, failed)
		}
		if n := w.Stats().Running; n != 0 {
			t.Errorf("%d jobs are held, want none", n)
		}
		if got := w.numbers(); !slices.Equal(got, []int{1}) {
			t.Errorf("ran %v, want the first, once", got)
		}
	})
}

// TestWalkJoins: a job on the way joins one that waits for a later time, though that one
// is due within the batch.
func TestWalkJoins(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "joined"}, nil)
		w.define(Kind[note]{Name: "a"}, func(_ Job, p note) error {
			if p.N == 20 {
				w.put(Enqueue{Kind: "joined", Payload: note{100}, At: epoch.Add(50 * time.Hour), Dedupe: "one"})
			}
			return nil
		})
		for n := range 40 {
			w.put(Enqueue{Kind: "a", Payload: note{n}, At: epoch.Add(time.Duration(n) * time.Hour)})
		}
		w.put(Enqueue{Kind: "joined", Payload: note{99}, At: epoch.Add(22*time.Hour + time.Minute), Dedupe: "one"})
		if err := w.AdvanceJobsTo(t.Context(), w.clock, epoch.Add(60*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := w.numbers(); len(got) != 41 || !slices.Contains(got, 99) {
			t.Errorf("ran %v, want 40 and the one that waited", got)
		}
	})
}

// TestWalkIsNotShared: what a walk holds and has not run yet is neither run by another
// process that comes between nor changed by an operator.
func TestWalkIsNotShared(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		const jobs = 40
		other := w.another()
		w.define(Kind[note]{Name: "a"}, nil)
		other.define(Kind[note]{Name: "a"}, nil)
		var ids []string
		for n := range jobs {
			ids = append(ids, w.put(Enqueue{Kind: "a", Payload: note{n}, At: epoch.Add(time.Duration(n/10) * time.Hour)})...)
		}
		ended := 0
		w.Watch(func(Ran) {
			if ended++; ended != 23 {
				return
			}
			if err := other.Settle(t.Context()); err != nil {
				t.Error(err)
			}
			// The next of the same batch, which is due at the same time.
			if err := other.Discard(t.Context(), ids[24]); !errors.Is(err, ErrState) {
				t.Errorf("discard: %v, want %v", err, ErrState)
			}
		})
		if err := w.AdvanceJobsTo(t.Context(), w.clock, epoch.Add(48*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := w.numbers(); len(got) != jobs || !slices.IsSorted(got) {
			t.Errorf("ran %v, want 0 to %d", got, jobs-1)
		}
		if got := other.numbers(); len(got) != 0 {
			t.Errorf("the other ran %v", got)
		}
		if left := w.counts(); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	})
}
