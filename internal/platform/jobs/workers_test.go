package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// until waits for cond in real time; the workers run on their own.
func (w *testQueue) until(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), guard)
	defer cancel()
	for !cond() {
		if err := clock.Sleep(ctx, clock.Real(), 5*time.Millisecond); err != nil {
			w.t.Fatalf("waited %s for: %s", guard, what)
		}
	}
}

func TestNoJobRunsTwice(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		const jobs, queues = crowdSize, 4
		var runs [jobs + 1]atomic.Int32
		var total atomic.Int32
		for i := range queues {
			q := w
			if i > 0 {
				q = w.another()
			}
			q.Register(Define(Kind[note]{Name: "a", Run: func(_ context.Context, _ Job, p note) error {
				runs[p.N].Add(1)
				total.Add(1)
				return nil
			}}))
			q.start(4)
		}
		for n := 1; n <= jobs; n += 100 {
			var es []Enqueue
			for i := n; i < n+100; i++ {
				es = append(es, Enqueue{Kind: "a", Payload: note{i}})
			}
			w.put(es...)
		}
		w.until("all jobs to run", func() bool { return total.Load() >= jobs })
		w.until("an empty table", func() bool { return len(w.counts()) == 0 })
		for n := 1; n <= jobs; n++ {
			if got := runs[n].Load(); got != 1 {
				t.Errorf("job %d ran %d times, want once", n, got)
			}
		}
	})
}

func TestLanes(t *testing.T) {
	t.Parallel()
	t.Run("run in order, one at a time, on many processes", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			const lanes, each = 8, 15
			var mu sync.Mutex
			last := map[string]int{}
			busy := map[string]bool{}
			total := 0
			run := func(_ context.Context, j Job, p note) error {
				mu.Lock()
				if busy[j.Key] {
					t.Errorf("lane %s runs two jobs at once", j.Key)
				}
				busy[j.Key] = true
				mu.Unlock()
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					busy[j.Key] = false
				}()
				mu.Lock()
				defer mu.Unlock()
				if p.N == 7 && j.Attempt == 1 {
					return RetryAfter(errors.New("once more"), 0)
				}
				if p.N != last[j.Key]+1 {
					t.Errorf("lane %s ran %d after %d", j.Key, p.N, last[j.Key])
				}
				last[j.Key] = p.N
				total++
				return nil
			}
			for i := range 3 {
				q := w
				if i > 0 {
					q = w.another()
				}
				q.Register(Define(Kind[note]{Name: "a", Run: run}))
				q.start(4)
			}
			// Enqueued concurrently with the runs, so that enqueuing and
			// finishing on one lane meet.
			var group sync.WaitGroup
			for l := range lanes {
				group.Go(func() {
					for n := 1; n <= each; n++ {
						w.put(Enqueue{Kind: "a", Key: fmt.Sprint("lane", l), Payload: note{n}})
					}
				})
			}
			group.Wait()
			w.until("all lanes to end", func() bool { mu.Lock(); defer mu.Unlock(); return total >= lanes*each })
			w.until("an empty table", func() bool { return len(w.counts()) == 0 })
		})
	})

	t.Run("a slow lane delays no other", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			gate := make(chan struct{})
			var fast atomic.Int32
			w.Register(Define(Kind[note]{Name: "a", Run: func(_ context.Context, j Job, _ note) error {
				if j.Key == "slow" {
					<-gate
				} else {
					fast.Add(1)
				}
				return nil
			}}))
			defer close(gate)
			var es []Enqueue
			for n := range 200 {
				es = append(es, Enqueue{Kind: "a", Key: "slow", Payload: note{n}})
			}
			for n := range 20 {
				es = append(es, Enqueue{Kind: "a", Key: "fast", Payload: note{n}})
			}
			w.put(es...)
			// Two workers: the slow lane may only ever hold one.
			if err := w.Start(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			w.until("the fast lane to end", func() bool { return fast.Load() == 20 })
			// Nothing may be left waiting behind the slow job when it is interrupted.
			t.Cleanup(func() { w.stop() })
		})
	})

	t.Run("a job that waits for its retry holds its lane up", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a", MaxAttempts: 2}, func(_ Job, p note) error {
				if p.N == 1 {
					return RetryAfter(errors.New("no"), time.Minute)
				}
				return nil
			})
			w.put(Enqueue{Kind: "a", Key: "k", Payload: note{1}}, Enqueue{Kind: "a", Key: "k", Payload: note{2}},
				Enqueue{Kind: "a", Key: "other", Payload: note{3}})
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[1 3]"; got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
			w.clock.Advance(time.Minute)
			w.settle()
			// The second failure is the last: the lane goes on without it.
			if got, want := fmt.Sprint(w.numbers()), "[1 2]"; got != want {
				t.Errorf("after the retry ran %s, want %s", got, want)
			}
		})
	})
}

func TestConcurrencyOfAKind(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		gate := make(chan struct{})
		var running, most, short atomic.Int32
		w.Register(
			Define(Kind[note]{Name: "long", Concurrency: 2, Run: func(context.Context, Job, note) error {
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				<-gate
				running.Add(-1)
				return nil
			}}),
			Define(Kind[note]{Name: "short", Run: func(context.Context, Job, note) error {
				short.Add(1)
				return nil
			}}),
		)
		var es []Enqueue
		for n := range 10 {
			es = append(es, Enqueue{Kind: "long", Payload: note{n}}, Enqueue{Kind: "short", Payload: note{n}})
		}
		w.put(es...)
		w.start(1)
		w.until("short jobs to pass the long ones", func() bool { return short.Load() == 10 && running.Load() == 2 })
		close(gate)
		w.until("an empty table", func() bool { return len(w.counts()) == 0 })
		if got := most.Load(); got != 2 {
			t.Errorf("%d long jobs ran at once, want 2", got)
		}
	})
}

func TestWorkersFollowTheClock(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		var runs atomic.Int32
		w.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
			runs.Add(1)
			return nil
		}}))
		w.start(2)
		w.put(Enqueue{Kind: "a", Payload: note{1}, At: epoch.Add(time.Hour)})
		w.put(Enqueue{Kind: "a", Payload: note{2}})
		w.until("the due job", func() bool { return runs.Load() == 1 })
		w.clock.Advance(time.Hour)
		w.until("the later job", func() bool { return runs.Load() == 2 })
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("waits for running jobs and hands back the rest", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			started, gate := make(chan struct{}, 10), make(chan struct{})
			w.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
				started <- struct{}{}
				<-gate
				return nil
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}}, Enqueue{Kind: "a", Payload: note{2}})
			w.start(1)
			<-started
			w.run.Stop() // as w.stop does before it waits
			close(gate)
			w.stop()
			if got := w.counts(); got["a ready"] != 1 || len(got) != 1 {
				t.Errorf("left: %v, want one ready job", got)
			}
		})
	})

	t.Run("interrupts and hands back when its context ends", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			started := make(chan struct{}, 1)
			cause := make(chan error, 1)
			w.Register(Define(Kind[note]{Name: "a", Run: func(ctx context.Context, _ Job, _ note) error {
				started <- struct{}{}
				<-ctx.Done()
				cause <- context.Cause(ctx)
				return ctx.Err()
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.start(1)
			<-started
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := w.Stop(ctx); err != nil {
				t.Fatalf("stop: %v", err)
			}
			if got := <-cause; !errors.Is(got, ErrStopped) {
				t.Errorf("cause: got %v, want ErrStopped", got)
			}
			i := w.only()
			if i.State != Ready || i.Attempt != 0 || i.Error != "" {
				t.Errorf("handed back as %s after attempt %d with error %q, want ready, 0 and none", i.State, i.Attempt, i.Error)
			}
		})
	})

	t.Run("also when the context of start ends", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			started := make(chan struct{}, 1)
			w.Register(Define(Kind[note]{Name: "a", Run: func(ctx context.Context, _ Job, _ note) error {
				started <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			ctx, cancel := context.WithCancel(t.Context())
			if err := w.Start(ctx, 1); err != nil {
				t.Fatal(err)
			}
			<-started
			cancel()
			w.until("handing back", func() bool { return w.counts()["a ready"] == 1 })
			w.stop()
		})
	})
}

func TestStartAgain(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, nil)
		for n := 1; n <= 3; n++ {
			w.start(1)
			if err := w.Start(t.Context(), 1); err == nil {
				t.Error("a second start at the same time: got no error")
			}
			w.put(Enqueue{Kind: "a", Payload: note{n}})
			w.until("the job", func() bool { return w.Stats().Done == int64(n) })
			w.stop()
			w.stop() // twice does nothing
		}
		if err := w.Start(t.Context(), 0); err == nil {
			t.Error("no workers: got no error")
		}
	})
}

// The database goes away under a running queue.
func TestDatabaseCloses(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		started, gate := make(chan struct{}), make(chan struct{})
		w.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
			close(started)
			<-gate
			return nil
		}}))
		w.put(Enqueue{Kind: "a", Payload: note{1}})
		if err := w.Start(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		<-started
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		close(gate)
		ctx, cancel := context.WithTimeout(t.Context(), guard)
		defer cancel()
		if err := w.Stop(ctx); !errors.Is(err, database.ErrClosed) {
			t.Errorf("stop: got %v, want ErrClosed", err)
		}
	})
}

func TestClockGoesBack(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, func(j Job, p note) error {
			if p.N == 2 && j.Attempt == 1 {
				return RetryAfter(errors.New("fails once"), time.Minute)
			}
			return nil
		})
		for _, s := range []string{"@hourly", "@every 2h"} {
			if err := w.Schedule(t.Context(), Schedule{Name: s, Spec: s, Kind: "a", Payload: note{9}}); err != nil {
				t.Fatal(err)
			}
		}
		w.put(Enqueue{Kind: "a", Payload: note{2}}, Enqueue{Kind: "a", Payload: note{3}, At: epoch.Add(time.Minute)})
		w.settle()
		w.put(Enqueue{Kind: "a", Payload: note{1}})
		w.numbers()
		w.clock.Set(epoch.Add(-240 * time.Hour))
		w.settle()
		// The new job and the retry run; what asked for a later time waits.
		if got := w.numbers(); !slices.Equal(got, []int{2, 1}) && !slices.Equal(got, []int{1, 2}) {
			t.Errorf("after the jump ran %v, want 1 and 2", got)
		}
		if got := w.only().ClaimAt; !got.Equal(epoch.Add(time.Minute)) {
			t.Errorf("the job with a time of its own waits until %s, want %s", got, epoch.Add(time.Minute))
		}
		if err := w.AdvanceTo(t.Context(), w.clock, w.clock.Now().Add(4*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got, want := w.numbers(), []int{9, 9, 9, 9, 9, 9}; !slices.Equal(got, want) {
			t.Errorf("in four hours ran %v, want six firings", got)
		}
	})
}

// only is the only job in the table.
func (w *testQueue) only() Info {
	w.t.Helper()
	all, err := w.List(w.t.Context(), Filter{})
	if err != nil || len(all) != 1 {
		w.t.Fatalf("list: got %d jobs and %v, want one", len(all), err)
	}
	return all[0]
}

func TestCrash(t *testing.T) {
	t.Run("leases run out", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}}, Enqueue{Kind: "a", Payload: note{2}, Key: "k"},
				Enqueue{Kind: "a", Payload: note{3}, Key: "k"})
			claimAndVanish(t, w, 2)
			w.settle()
			if got := w.numbers(); len(got) != 0 {
				t.Errorf("ran %v under a foreign lease, want nothing", got)
			}
			w.clock.Advance(defaultLease - time.Microsecond)
			w.settle()
			if got := w.numbers(); len(got) != 0 {
				t.Errorf("ran %v before the lease ended, want nothing", got)
			}
			w.clock.Advance(time.Microsecond)
			w.settle()
			if got, want := fmt.Sprint(w.runs()), fmt.Sprint([]ran{
				{"a", 1, 1, w.clock.Now(), epoch}, {"a", 2, 1, w.clock.Now(), epoch}, {"a", 3, 1, w.clock.Now(), epoch},
			}); got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
		})
	})

	t.Run("recover does not wait for them", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			claimAndVanish(t, w, 1)
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[1]"; got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
		})
	})

	t.Run("a lost lease interrupts and its outcome does not count", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			started := make(chan struct{}, 2)
			cause := make(chan error, 1)
			w.Register(Define(Kind[note]{Name: "a", Run: func(ctx context.Context, _ Job, _ note) error {
				started <- struct{}{}
				<-ctx.Done()
				cause <- context.Cause(ctx)
				return errors.New("too late")
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.start(1)
			<-started
			// Another process, whose clock is ahead, takes the job over.
			err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE stoa_jobs SET holder = 'other', claim_at = $1`,
					database.Time(epoch.Add(time.Hour)))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Advance(defaultLease / 3)
			if got := <-cause; !errors.Is(got, ErrLeaseLost) {
				t.Errorf("cause: got %v, want ErrLeaseLost", got)
			}
			w.until("the outcome to be written", func() bool { return w.Stats().Running == 0 })
			if i := w.only(); i.State != Running || i.Holder != "other" {
				t.Errorf("is %s of %q, want still running at the other", i.State, i.Owner)
			}
		})
	})

	t.Run("a job lost before it started does not run", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			r := &store.Request{Queries: w.queueKinds().claims, N: 1, Due: true}
			c := &store.Cycle{Now: w.clock.Now(), Requests: []*store.Request{r}}
			if _, err := w.perform(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE stoa_jobs SET holder = 'other'`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			w.extendLeases(t.Context())
			o := w.attempt(t.Context(), r.Claims[0], nil)
			if _, err := w.perform(t.Context(), &store.Cycle{Now: w.clock.Now(), Outcomes: []store.Outcome{o}}); err != nil {
				t.Fatal(err)
			}
			if got := w.numbers(); len(got) != 0 {
				t.Errorf("ran %v, want nothing", got)
			}
			if i := w.only(); i.Holder != "other" || i.Attempt != 1 {
				t.Errorf("is owned by %q in attempt %d, want the other in 1", i.Holder, i.Attempt)
			}
		})
	})

	t.Run("a long job keeps its lease", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			started, gate := make(chan struct{}, 2), make(chan struct{})
			w.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
				started <- struct{}{}
				<-gate
				return nil
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.start(2)
			<-started
			for range 6 {
				w.clock.Advance(defaultLease / 3)
				end := database.FormatTime(w.clock.Now().Add(defaultLease))
				w.until("the lease to move", func() bool { return database.FormatTime(w.only().ClaimAt) == end })
			}
			close(gate)
			w.until("the end", func() bool { return len(w.counts()) == 0 })
			if got := len(started); got != 0 {
				t.Errorf("the job ran %d times more, want none", got)
			}
		})
	})
}
