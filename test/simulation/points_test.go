package simulation_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/test/simulation"
)

var (
	pointSeeds = flag.Int("point-seeds", 2, "how many seeds give points at which a process ends")
	each       = flag.Int("each", 1, "how often a process ends in each kind of work, at each moment")
)

// TestPoints ends the process at a write, one in each run, until that happened often
// enough in each kind of work: before the commit, within it, and between the commit and
// its answer. Of jobs, what is written before a message leaves and after its receiver
// answered are calls of their own. With five of each, every kind must have been there.
func TestPoints(t *testing.T) {
	prepared, err := simulation.Prepare(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ended, runs := map[string]int{}, 0
	for i := range *pointSeeds {
		o := simulation.Options{Seed: *first + uint64(i), Steps: 80}
		for n, kind := range runPoint(t, prepared, o).Points {
			if ended[kind] >= *each || t.Failed() {
				continue
			}
			ended[kind]++
			for _, moment := range []simulation.Moment{
				simulation.BeforeCommit, simulation.WithinCommit, simulation.AfterCommit,
			} {
				o.Point, o.Moment = n+1, moment
				if r := runPoint(t, prepared, o); !r.Ended {
					t.Errorf("%s, write %d, %s: the process did not end", o, n+1, moment)
				}
				runs++
			}
		}
	}
	t.Logf("%d runs whose process ended, at three moments: %v", runs, ended)
	for _, kind := range []string{
		"POST tasks", "PATCH tasks", "DELETE tasks", "POST calendar events", "POST calendar watch", "POST v2 refresh",
		"POST repos events", "POST device", "POST token", "POST revoke", "jobs", "kms rotate", "kms destroy",
	} {
		if want := *each; ended[kind] < want && want >= 5 {
			t.Errorf("%d processes ended in %s, want %d", ended[kind], kind, want)
		}
	}
	if runs == 0 {
		t.Error("nothing was written: no process ended")
	}
}

func runPoint(t *testing.T, prepared simulation.Prepared, o simulation.Options) simulation.Result {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r, err := prepared.Run(t.Context(), dir, o)
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		t.Errorf("%s, write %d, %s: %v", o, o.Point, o.Moment, err)
	}
	for _, b := range r.Broken {
		t.Errorf("%s, write %d, %s: %s", o, o.Point, o.Moment, b)
	}
	return r
}
