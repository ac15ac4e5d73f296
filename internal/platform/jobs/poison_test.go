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
	with := func(fn func(w *world)) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Migrate(t.Context(), Migrations()); err != nil {
			t.Fatal(err)
		}
		w := &world{Queue: New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()}), t: t, db: db}
		w.Register(Define(Kind[note]{Name: "a", MaxAttempts: 1, Run: func(context.Context, Job, note) error { return nil }}))
		fn(w)
	}
	with(func(w *world) {
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
	with(func(w *world) {
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
