package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// A child process runs all jobs of a database; these tell it of which.
const (
	childFolder = "STOA_TEST_JOBS_FOLDER"
	childURL    = "STOA_TEST_JOBS_URL"
)

// poisoned is how a child ends when it ran poison.
const poisoned = 3

// child runs what there is until nothing waits, and is ended by poison.
func child() int {
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := runChild(ctx); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func runChild(ctx context.Context) error {
	db, err := database.Open(ctx, database.Options{Dir: os.Getenv(childFolder), URL: os.Getenv(childURL)})
	if err != nil {
		return err
	}
	q := New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random(), Lease: time.Second})
	q.Register(Define(Kind[note]{Name: "a", MaxAttempts: 1, Run: func(_ context.Context, _ Job, p note) error {
		if p.N < 0 {
			os.Exit(poisoned)
		}
		return nil
	}}))
	if db.Engine() == database.SQLite {
		if err := q.Recover(ctx); err != nil {
			return err
		}
	}
	if err := q.Start(ctx, 4); err != nil {
		return err
	}
	for waiting := true; waiting; {
		if err := clock.Sleep(ctx, clock.Real(), 10*time.Millisecond); err != nil {
			return err
		}
		counts, err := q.Counts(ctx)
		if err != nil {
			return err
		}
		waiting = false
		for _, c := range counts {
			waiting = waiting || c.State != Dead
		}
	}
	return errors.Join(q.Stop(ctx), db.Close())
}

// Poison ends the process that runs it. It does so twice, and takes none of the
// jobs with it that were claimed beside it.
func TestPoison(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		poison int
	}{{"one", 1}, {"two at once", 2}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			t.Run("sqlite", func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				testPoison(t, database.Options{Dir: folder}, childFolder+"="+folder, row.poison)
			})
			t.Run("postgres", func(t *testing.T) {
				t.Parallel()
				url := databasetest.PostgresURL(t)
				testPoison(t, database.Options{URL: url}, childURL+"="+url, row.poison)
			})
		})
	}
}

func testPoison(t *testing.T, o database.Options, env string, poison int) {
	with := func(fn func(w *testQueue)) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Migrate(t.Context(), Migrations()); err != nil {
			t.Fatal(err)
		}
		w := &testQueue{Queue: New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()}), t: t, db: db}
		w.Register(Define(Kind[note]{Name: "a", MaxAttempts: 1, Run: func(context.Context, Job, note) error { return nil }}))
		fn(w)
	}
	with(func(w *testQueue) {
		var all []Enqueue
		for i := range 200 {
			all = append(all, Enqueue{Kind: "a", Payload: note{i}})
			if i >= 100 && i < 100+poison {
				lane := fmt.Sprint("lane", i)
				all = append(all, Enqueue{Kind: "a", Payload: note{-1}, Key: lane}, Enqueue{Kind: "a", Payload: note{i}, Key: lane})
			}
		}
		w.put(all...)
	})
	deaths := 0
	for done := false; !done; {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		switch code := cmd.ProcessState.ExitCode(); {
		case code == 0:
			done = true
		case code == poisoned && deaths < 10:
			deaths++
		default:
			t.Fatalf("the child ended with %d after %d deaths: %v\n%s", code, deaths, err, out)
		}
	}
	// Two that were claimed together become suspects of the same death.
	if deaths <= poison || deaths > 2*poison {
		t.Errorf("%d processes ended, want more than %d and %d at most", deaths, poison, 2*poison)
	}
	with(func(w *testQueue) {
		left, err := w.List(t.Context(), Filter{})
		if err != nil || len(left) != poison {
			t.Fatalf("%d jobs are left: %v, want the poison only", len(left), err)
		}
		for _, i := range left {
			if text := "the process ended twice while this job ran"; i.State != Dead || i.Error != text {
				t.Errorf("%s is %s with %q, want dead and %q", i.Payload, i.State, i.Error, text)
			}
		}
	})
}

// claimAndVanish is a process that takes all due jobs and dies.
func claimAndVanish(t *testing.T, w *testQueue, n int) *Queue {
	t.Helper()
	dead := New(Options{DB: w.db, Clock: w.clock, IDs: ids.Random()})
	dead.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error { panic("never runs") }}))
	r := &store.Request{Queries: dead.queueKinds().claims, N: 100, Due: true}
	c := &store.Cycle{Now: w.clock.Now(), PlaceFresh: true, Requests: []*store.Request{r}}
	if _, err := dead.perform(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := len(r.Claims); got != n {
		t.Fatalf("claimed %d, want %d", got, n)
	}
	return dead
}

// vanishAlone is a process that tries a suspect and dies.
func vanishAlone(t *testing.T, w *testQueue) {
	t.Helper()
	dead := claimAndVanish(t, w, 0)
	r := &store.Request{Queries: dead.queueKinds().suspects, N: 1, Due: true, Alone: true}
	c := &store.Cycle{Now: w.clock.Now(), Requests: []*store.Request{r}}
	if _, err := dead.perform(t.Context(), c); err != nil || len(r.Claims) != 1 {
		t.Fatalf("claimed %d suspects: %v, want 1", len(r.Claims), err)
	}
}

func TestSuspects(t *testing.T) {
	t.Run("a job whose process ends again while it is alone is dead", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a", MaxAttempts: 1}, nil)
			id := w.put(Enqueue{Kind: "a", Payload: note{1}, Key: "k"}, Enqueue{Kind: "a", Payload: note{2}, Key: "k"})[0]
			claimAndVanish(t, w, 1)
			w.clock.Advance(defaultLease)
			vanishAlone(t, w)
			w.clock.Advance(defaultLease)
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[2]"; got != want {
				t.Errorf("ran %s, want the next one of the lane only: %s", got, want)
			}
			i := w.only()
			if want := "the process ended twice while this job ran"; i.State != Dead || i.Error != want || i.Deaths != 2 {
				t.Errorf("is %s after %d deaths with error %q, want dead, 2, %q", i.State, i.Deaths, i.Error, want)
			}
			if err := w.Retry(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[1]"; got != want {
				t.Errorf("ran %s after a retry, want %s", got, want)
			}
		})
	})

	t.Run("a safe job is taken over as often as processes end", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a", MaxAttempts: 1, Safe: true}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			for range 3 {
				claimAndVanish(t, w, 1)
				w.clock.Advance(defaultLease)
			}
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if i := w.only(); i.Deaths != 0 || i.Attempt != 1 || i.State != Running {
				t.Errorf("is %s after %d deaths in attempt %d, want running, 0, 1", i.State, i.Deaths, i.Attempt)
			}
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[1]"; got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
		})
	})

	t.Run("what was given up in peace does not count", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a", MaxAttempts: 1}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			for range 3 {
				dead := claimAndVanish(t, w, 1)
				if err := dead.disown(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.clock.Advance(defaultLease)
			}
			if i := w.only(); i.Deaths != 0 || i.Attempt != 1 || i.State != Running {
				t.Errorf("is %s after %d deaths in attempt %d, want running, 0, 1", i.State, i.Deaths, i.Attempt)
			}
			w.settle()
			if got, want := fmt.Sprint(w.numbers()), "[1]"; got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
		})
	})

	t.Run("a process that lives takes back what was counted", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			slow := claimAndVanish(t, w, 1)
			w.clock.Advance(defaultLease)
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if i := w.only(); i.State != Suspect || i.Deaths != 1 {
				t.Errorf("is %s after %d deaths, want suspect, 1", i.State, i.Deaths)
			}
			for range 2 {
				slow.extendLeases(t.Context())
			}
			if i := w.only(); i.Deaths != 0 {
				t.Errorf("counts %d deaths, want 0: the process lives", i.Deaths)
			}
		})
	})
}
