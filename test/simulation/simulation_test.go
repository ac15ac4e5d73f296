package simulation_test

import (
	"flag"
	"strings"
	"testing"

	"stoa.dev/stoa/test/simulation"
)

var (
	seeds = flag.Int("seeds", 4, "how many seeds to run")
	first = flag.Uint64("first", 1, "the first seed")
)

// TestSeeds runs worlds and checks the promises. A seed that fails is run again alone by
// -first=SEED -seeds=1.
func TestSeeds(t *testing.T) {
	requests, faults := 0, 0
	for i := range *seeds {
		o := simulation.Draw(*first + uint64(i))
		r, err := simulation.Run(t.Context(), t.TempDir(), o)
		if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		for _, b := range r.Broken {
			t.Errorf("%s: %s", o, b)
		}
		requests, faults = requests+r.Requests, faults+r.Faults
	}
	t.Logf("%d seeds, %d steps, %d faults", *seeds, requests, faults)
	if *seeds > 3 && faults == 0 {
		t.Error("no fault was met: the store did not fail")
	}
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
	once, again := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(once), len(again)) {
		if once[i] != again[i] {
			t.Fatalf("seed %d, answer %d:\n%s\nand then\n%s", *first, i, once[i], again[i])
		}
	}
	if len(once) != len(again) || a == run(*first+1) {
		t.Errorf("%d and %d answers, or those of another seed", len(once), len(again))
	}
}
