package simulation_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/program"
	"stoa.dev/stoa/test/simulation"
)

var (
	seeds       = flag.Int("seeds", 0, "how many seeds to run; 0 is 200, and 4 with the race detector")
	first       = flag.Uint64("first", 1, "the first seed")
	workers     = flag.Int("workers", 1, "how many seeds to run at once")
	engineSeeds = flag.Int("engine-seeds", 1, "how many seeds to run on both engines")
	scripts     = flag.Int("scripts", 1, "how many long scripts run twice, and on both engines")
	scriptCalls = flag.Int("script-calls", 150, "how many calls a long script has")
	ranges      = flag.String("ranges", "", "note ranges of seeds that passed in this file, and run those it has not")
	exact       = flag.String("options", "", "run this one, as a failure printed it")
)

// seedsToRun is how many seeds TestSeeds runs.
func seedsToRun() int {
	switch {
	case *exact != "":
		return 1
	case *seeds > 0:
		return *seeds
	case program.RaceEnabled():
		return 4 // make test runs the others as well, without the detector, which makes a seed take ten times as long
	}
	return 200 // half a minute of one processor
}

// TestSeeds runs worlds and checks the promises. A seed that fails is shrunk, and the
// line that runs it again is printed.
func TestSeeds(t *testing.T) {
	prepared, err := simulation.Prepare(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	asked := seedRange{first: *first, seeds: seedsToRun()}
	if *ranges != "" {
		runUnnoted(t, prepared, asked)
		return
	}
	asked.run(t, prepared)
	t.Logf("%d seeds, %d steps, %d faults", asked.seeds, asked.steps, asked.faults)
	if asked.seeds > 3 && asked.faults == 0 {
		t.Error("no fault was met: the store did not fail")
	}
}

// seedRange is seeds that follow one another, and what they came to.
type seedRange struct {
	first         uint64
	seeds         int
	steps, faults int64
}

// run ends with the first seed that breaks a promise.
func (r *seedRange) run(t *testing.T, prepared simulation.Prepared) {
	t.Helper()
	var next, steps, faults atomic.Int64
	var running sync.WaitGroup
	for range max(1, *workers) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(r.seeds) && !t.Failed(); i = next.Add(1) - 1 {
				one := runSeed(t, prepared, r.first+uint64(i))
				steps.Add(int64(one.Requests))
				faults.Add(int64(one.Faults))
			}
		})
	}
	running.Wait()
	r.steps, r.faults = steps.Load(), faults.Load()
}

// runSeed runs one seed in a folder that it removes: many folders would fill a disk.
func runSeed(t *testing.T, prepared simulation.Prepared, seed uint64) simulation.Result {
	t.Helper()
	o := simulation.Draw(seed)
	if *exact != "" {
		var err error
		if o, err = simulation.ParseOptions(*exact); err != nil {
			t.Error(err)
			return simulation.Result{}
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	r, err := prepared.Run(t.Context(), dir, o)
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		t.Errorf("%s: %v", o, err)
		return r
	}
	for _, b := range r.Broken {
		t.Errorf("%s: %s", o, b)
	}
	if len(r.Broken) > 0 {
		small, err := prepared.Shrink(t.Context(), t.TempDir, o)
		t.Logf("shrunk (%v); again: go test ./test/simulation -run TestSeeds -args -options=%q", err, small)
	}
	return r
}

// TestShrink: what String writes is read back.
func TestShrink(t *testing.T) {
	o := simulation.Draw(7)
	got, err := simulation.ParseOptions(o.String())
	if err != nil || got != o {
		t.Errorf("got %v (%v), want %v", got, err, o)
	}
}

// TestEngines: the same calls get the same answers on SQLite and PostgreSQL, byte by
// byte. No store fails here, because the engines are not called alike.
func TestEngines(t *testing.T) {
	calls := 0
	for i := range *engineSeeds {
		o := simulation.Draw(*first + uint64(i))
		o.Fail, o.Cut, o.Stall = 0, 0, 0
		lite, err := simulation.Run(t.Context(), t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Database = databasetest.PostgresURL(t)
		post, err := simulation.Run(t.Context(), t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(lite.Broken)+len(post.Broken) > 0 {
			t.Errorf("%s: %v, and on PostgreSQL %v", o, lite.Broken, post.Broken)
		}
		calls += sameAnswers(t, o.String(), lite.Transcript, post.Transcript)
	}
	t.Logf("%d calls of %d seeds, the same answers of both engines", calls, *engineSeeds)
}

// sameAnswers compares two transcripts and gives how many answers they have.
func sameAnswers(t *testing.T, name, a, b string) int {
	t.Helper()
	once, again := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(once), len(again)) {
		if once[i] != again[i] {
			t.Fatalf("%s, answer %d:\n%s\nand then\n%s", name, i, once[i], again[i])
		}
	}
	if len(once) != len(again) {
		t.Errorf("%s: %d and %d answers", name, len(once), len(again))
	}
	return len(once)
}

// TestReplay: one seed gives the same answers twice, byte by byte (P10), and another
// seed others.
func TestReplay(t *testing.T) {
	run := func(seed uint64) string {
		r, err := simulation.Run(t.Context(), t.TempDir(), simulation.Draw(seed))
		if err != nil {
			t.Fatal(err)
		}
		return r.Transcript
	}
	a, b := run(*first), run(*first)
	sameAnswers(t, simulation.Draw(*first).String(), a, b)
	if a == run(*first+1) {
		t.Error("another seed gives the same answers")
	}
}

// TestScripts runs long scripts without faults: twice on SQLite and once on PostgreSQL, with
// the same answers byte by byte, pictures among them. A script ends with the step that makes
// its number of calls full. What scripts of these numbers of calls came to is recorded, so
// that each machine that runs them is held against the one that recorded it.
func TestScripts(t *testing.T) {
	recorded := readDigests(t)
	for i := range *scripts {
		o := simulation.Options{
			Seed: *first + uint64(i), Steps: *scriptCalls, Calls: *scriptCalls, Pictures: true,
		}
		run := func(url string) string {
			dir := filepath.Join(t.TempDir(), "run")
			o.Database = url
			r, err := simulation.Run(t.Context(), dir, o)
			if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
				t.Fatalf("%s: %v", o, err)
			}
			if len(r.Broken) > 0 {
				t.Errorf("%s: %v", o, r.Broken)
			}
			return r.Transcript
		}
		once := run("")
		calls := sameAnswers(t, o.String()+", twice", once, run(""))
		sameAnswers(t, o.String()+", on PostgreSQL", once, run(databasetest.PostgresURL(t)))
		t.Logf("seed %d: %d calls, %d pictures, the same answers three times", o.Seed, calls,
			strings.Count(once, `"\x89PNG`))
		if calls < *scriptCalls {
			t.Errorf("seed %d: %d calls, want at least %d", o.Seed, calls, *scriptCalls)
		}
		recorded.check(t, o.Seed, *scriptCalls, once)
	}
	recorded.write(t)
}
