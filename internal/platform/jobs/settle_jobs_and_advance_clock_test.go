package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	t.Run("runs what is due in due order", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.put(
				Enqueue{Kind: "a", Payload: note{1}, At: epoch.Add(-time.Second)},
				Enqueue{Kind: "a", Payload: note{2}, At: epoch.Add(-2 * time.Second)},
				Enqueue{Kind: "a", Payload: note{3}},
				Enqueue{Kind: "a", Payload: note{4}, At: epoch.Add(time.Microsecond)},
			)
			w.settle()
			if got, want := w.numbers(), []int{2, 1, 3}; !slices.Equal(got, want) {
				t.Errorf("ran %v, want %v", got, want)
			}
			w.clock.Advance(time.Microsecond)
			w.settle()
			if got, want := w.numbers(), []int{4}; !slices.Equal(got, want) {
				t.Errorf("later ran %v, want %v", got, want)
			}
			if got := w.counts(); len(got) != 0 {
				t.Errorf("left in the table: %v, want nothing", got)
			}
		})
	})

	t.Run("runs what jobs enqueue", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.Register(Define(Kind[note]{Name: "chain", Run: func(ctx context.Context, j Job, p note) error {
				w.note(j, p)
				if p.N == 40 {
					return nil
				}
				return w.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
					_, err := w.Enqueue(ctx, tx, Enqueue{Kind: "chain", Payload: note{p.N + 1}})
					return err
				})
			}}))
			w.put(Enqueue{Kind: "chain", Payload: note{1}})
			w.settle()
			if got := w.numbers(); len(got) != 40 || got[39] != 40 {
				t.Errorf("ran %v, want 1 to 40", got)
			}
		})
	})

	t.Run("waits for other work and what it enqueues", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			left := 2
			w.Await(func(context.Context) (bool, error) {
				if left == 0 {
					return false, nil
				}
				left--
				w.put(Enqueue{Kind: "a", Payload: note{left}})
				return true, nil
			})
			w.settle()
			if got, want := w.numbers(), []int{1, 0}; !slices.Equal(got, want) {
				t.Errorf("ran %v, want %v", got, want)
			}
			failed := errors.New("the work does not end")
			w.Await(func(context.Context) (bool, error) { return false, failed })
			if err := w.Settle(t.Context()); !errors.Is(err, failed) {
				t.Errorf("settle: %v, want %v", err, failed)
			}
		})
	})

	t.Run("waits for what started workers run", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.Register(Define(Kind[note]{Name: "chain", Run: func(ctx context.Context, j Job, p note) error {
				w.note(j, p)
				if p.N%10 == 0 {
					return nil
				}
				return w.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
					_, err := w.Enqueue(ctx, tx, Enqueue{Kind: "chain", Payload: note{p.N + 1}, Key: "k"})
					return err
				})
			}}))
			w.start(2)
			for n := range 4 {
				w.put(Enqueue{Kind: "chain", Payload: note{10*n + 1}})
				w.settle()
				if got := w.numbers(); len(got) != 10 {
					t.Fatalf("after settle %d of 10 jobs had run: %v", len(got), got)
				}
				if got := w.counts(); len(got) != 0 {
					t.Fatalf("after settle there were left %v", got)
				}
			}
		})
	})

	t.Run("hands back what it did not run when its context ends", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			ctx, cancel := context.WithCancel(t.Context())
			w.Register(Define(Kind[note]{Name: "a", Run: func(_ context.Context, j Job, p note) error {
				w.note(j, p)
				cancel()
				return nil
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}}, Enqueue{Kind: "a", Payload: note{2}})
			if err := w.Settle(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("settle: got %v, want canceled", err)
			}
			if got, want := w.numbers(), []int{1}; !slices.Equal(got, want) {
				t.Errorf("ran %v, want %v", got, want)
			}
			w.settle()
			if got, want := w.runs(), 1; len(got) != want || got[0].N != 2 || got[0].Attempt != 1 {
				t.Errorf("then ran %v, want job 2 as its first attempt", got)
			}
		})
	})

	t.Run("leaves kinds alone that are not registered", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			other := w.another()
			other.define(Kind[note]{Name: "theirs"}, nil)
			other.put(Enqueue{Kind: "theirs", Payload: note{1}})
			w.define(Kind[note]{Name: "mine"}, nil)
			w.put(Enqueue{Kind: "mine", Payload: note{2}})
			w.settle()
			if got, want := w.counts(), int64(1); got["theirs ready"] != want || len(got) != 1 {
				t.Errorf("left: %v, want the other's job only", got)
			}
			other.settle()
			if got, want := other.numbers(), []int{1}; !slices.Equal(got, want) {
				t.Errorf("the other ran %v, want %v", got, want)
			}
		})
	})
}

// TestAdvanceJobsTo walks over jobs that are due one after the other.
func TestAdvanceJobsTo(t *testing.T) {
	t.Parallel()
	for name, workers := range map[string]int{"alone": 0, "beside workers": 2} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *testQueue) {
				w.define(Kind[note]{Name: "a", MaxAttempts: 2}, func(j Job, p note) error {
					if p.N == 2 && j.Attempt == 1 {
						return RetryAfter(errors.New("once more"), 90*time.Minute)
					}
					return nil
				})
				if workers > 0 {
					if err := w.Start(t.Context(), workers); err != nil {
						t.Fatal(err)
					}
					defer func() {
						if err := w.Stop(context.Background()); err != nil {
							t.Error(err)
						}
					}()
				}
				for n := range 5 {
					w.put(Enqueue{Kind: "a", Payload: note{n}, At: epoch.Add(time.Duration(n) * time.Hour)})
				}
				if err := w.AdvanceJobsTo(t.Context(), w.clock, epoch.Add(210*time.Minute)); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, r := range w.runs() {
					got = append(got, fmt.Sprintf("%d at %s", r.N, r.At.Sub(epoch)))
				}
				want := []string{"0 at 0s", "1 at 1h0m0s", "2 at 2h0m0s", "3 at 3h0m0s", "2 at 3h30m0s"}
				if !slices.Equal(got, want) || !w.clock.Now().Equal(epoch.Add(210*time.Minute)) {
					t.Errorf("ran %v until %v, want %v", got, w.clock.Now(), want)
				}
				w.clock.Set(epoch.Add(4 * time.Hour))
				w.settle() // which waits where a worker has it
				if got := w.numbers(); !slices.Equal(got, []int{4}) {
					t.Errorf("later ran %v, want the last", got)
				}
			})
		})
	}
}

// TestRetryAfterAdvance: what an advance leaves to be retried is taken up by the workers
// when it is due on a clock that runs, not when they look next for other reasons.
func TestRetryAfterAdvance(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "test.again"}, func(j Job, _ note) error {
			if j.Attempt == 1 {
				return errors.New("boom")
			}
			return nil
		})
		again := Schedule{Name: "again", Spec: "@hourly", Kind: "test.again", Payload: note{1}}
		if err := w.Schedule(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		w.start(2)
		if err := w.AdvanceJobsTo(t.Context(), w.clock, w.clock.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		before := w.clock.Now()
		if got := w.runs(); len(got) == 0 {
			t.Fatal("the schedule did not fire")
		}
		w.clock.Run(10)
		defer w.clock.Freeze()
		var later []ran
		for began := clock.Real().Now(); len(later) == 0; <-time.After(time.Millisecond) {
			if later = w.runs(); clock.Real().Now().Sub(began) > 20*time.Second {
				t.Fatal("no retry")
			}
		}
		if took := later[0].At.Sub(before); took > 30*time.Second {
			t.Errorf("the retry came after %s of the clock, want a second or few", took)
		}
	})
}
