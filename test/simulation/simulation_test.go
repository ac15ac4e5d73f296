package simulation_test

import (
	"flag"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/simulation"
)

var (
	seeds       = flag.Int("seeds", 4, "how many seeds to run")
	first       = flag.Uint64("first", 1, "the first seed")
	engineSeeds = flag.Int("engine-seeds", 1, "how many seeds to run on both engines")
	exact       = flag.String("options", "", "run this one, as a failure printed it")
)

// TestSeeds runs worlds and checks the promises. A seed that fails is shrunk, and the
// line that runs it again is printed.
func TestSeeds(t *testing.T) {
	requests, faults := 0, 0
	for i := range *seeds {
		o := simulation.Draw(*first + uint64(i))
		if *exact != "" {
			var err error
			if o, err = simulation.ParseOptions(*exact); err != nil {
				t.Fatal(err)
			}
		}
		r, err := simulation.Run(t.Context(), t.TempDir(), o)
		if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		for _, b := range r.Broken {
			t.Errorf("%s: %s", o, b)
		}
		requests, faults = requests+r.Requests, faults+r.Faults
		if len(r.Broken) > 0 {
			small, err := simulation.Shrink(t.Context(), t.TempDir, o)
			t.Logf("shrunk (%v); again: go test ./test/simulation -run TestSeeds -args -seeds=1 -options=%q", err, small)
			return
		}
	}
	t.Logf("%d seeds, %d steps, %d faults", *seeds, requests, faults)
	if *seeds > 3 && faults == 0 {
		t.Error("no fault was met: the store did not fail")
	}
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
