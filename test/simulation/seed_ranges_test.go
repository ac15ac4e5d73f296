package simulation_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/simulation"
)

// seedsARange is how many seeds are noted together: some minutes of two processors.
const seedsARange = 2500

// notedForm is a line of the file: first seed, seeds, steps, faults, day.
const notedForm = "%d\t%d\t%d\t%d\t%s\n"

// runUnnoted runs what the file of -ranges has not, a range at a time: hours of seeds may be
// spread over days, and what passed is kept when a run is ended.
func runUnnoted(t *testing.T, prepared simulation.Prepared, asked seedRange) {
	t.Helper()
	noted, err := readNoted(*ranges)
	if err != nil {
		t.Fatal(err)
	}
	total := seedRange{}
	for from := 0; from < asked.seeds && !t.Failed(); from += seedsARange {
		r := seedRange{first: asked.first + uint64(from), seeds: min(seedsARange, asked.seeds-from)}
		before, ok := noted[r.first]
		if ok && before.seeds >= r.seeds {
			r = before
		} else {
			r.run(t, prepared)
			if t.Failed() {
				break
			}
			if err := noteRange(*ranges, r); err != nil {
				t.Fatal(err)
			}
		}
		total.seeds, total.steps, total.faults = total.seeds+r.seeds, total.steps+r.steps, total.faults+r.faults
	}
	t.Logf("%d seeds, %d steps, %d faults", total.seeds, total.steps, total.faults)
}

// readNoted reads the ranges by their first seeds; there may be no file yet.
func readNoted(name string) (map[uint64]seedRange, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	noted := map[uint64]seedRange{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var r seedRange
		var day string
		if _, err := fmt.Sscanf(line, notedForm, &r.first, &r.seeds, &r.steps, &r.faults, &day); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, line, err)
		}
		noted[r.first] = r
	}
	return noted, nil
}

func noteRange(name string, r seedRange) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, notedForm, r.first, r.seeds, r.steps, r.faults, time.Now().Format(time.DateOnly))
	return errors.Join(err, f.Close())
}

// TestSeedRanges: what is noted is read back, and the recorded file has each seed once.
func TestSeedRanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ranges.tsv")
	if noted, err := readNoted(name); err != nil || len(noted) != 0 {
		t.Errorf("no file: got %v, %v", noted, err)
	}
	want := seedRange{first: 2501, seeds: 2500, steps: 201234, faults: 34414}
	if err := noteRange(name, want); err != nil {
		t.Fatal(err)
	}
	if noted, err := readNoted(name); err != nil || noted[want.first] != want {
		t.Errorf("got %v, %v; want %v", noted, err, want)
	}
	recorded, err := readNoted(filepath.Join("testdata", "seed_ranges.tsv"))
	if err != nil || len(recorded) == 0 {
		t.Fatalf("%d ranges are recorded: %v", len(recorded), err)
	}
	for first, r := range recorded {
		if (first-1)%seedsARange != 0 || r.seeds != seedsARange || r.steps < int64(r.seeds) || r.faults == 0 {
			t.Errorf("range from %d: %+v is none of a run", first, r)
		}
	}
}
