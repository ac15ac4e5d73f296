package crash_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

const (
	// longestStart is how long a start after a kill may take.
	longestStart = time.Second
	// emptyStarts is how many starts of an empty folder a run is compared with.
	emptyStarts = 5
	// beyondEmpty is how many times as long as one of an empty folder a start after a kill
	// may be where the machine is so busy that neither takes a second.
	beyondEmpty = 1.2
)

// startTimes are how long starts took until they were ready: by the clock on the wall, in
// which other work of the machine counts, and in the processor's time, in which it does not.
type startTimes struct {
	mu         sync.Mutex
	wall, busy []time.Duration
}

// start is program.Start, measured.
func (s *startTimes) start(t *testing.T, o program.Options) (*program.Process, error) {
	t.Helper()
	began := time.Now()
	p, err := program.Start(t.Context(), o)
	if err != nil {
		return nil, err
	}
	wall, busy := time.Since(began), processorTime(t, p.PID())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wall, s.busy = append(s.wall, wall), append(s.busy, busy)
	return p, nil
}

// processorTime is what a process computed, and the kernel for it.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name before may have blanks
	fields := strings.Fields(rest)
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // a tick of the kernel's
}

// judge holds the starts but the first, which made the folder, to a second of processor
// time each, and half of them to a second of the wall, or to little more than those of empty
// folders between them. With the race detector, which makes all slow, nothing is judged.
func (s *startTimes) judge(t *testing.T, empty *startTimes) {
	t.Helper()
	after, soon := s.wall[1:], 0
	for _, wall := range after {
		if wall <= longestStart {
			soon++
		}
	}
	wall, busiest, emptyWall := middle(after), slices.Max(s.busy[1:]), middle(empty.wall)
	t.Logf("%d starts after a kill: %s of processor time at most, %d ready within %s, half within %s; of empty "+
		"folders half within %s", len(after), busiest, soon, longestStart, wall.Round(time.Millisecond),
		emptyWall.Round(time.Millisecond))
	if program.RaceEnabled() {
		return
	}
	if busiest > longestStart {
		t.Errorf("a start after a kill took %s of processor time, want at most %s", busiest, longestStart)
	}
	if most := max(longestStart, time.Duration(beyondEmpty*float64(emptyWall))); wall > most {
		t.Errorf("half of the starts after a kill took longer than %s, want at most %s", wall, most)
	}
}

func middle(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// startEmpty measures the start of an empty folder.
func (r *run) startEmpty(t *testing.T) {
	t.Helper()
	p, err := r.empty.start(t, program.Options{Binary: r.binary, Data: t.TempDir(), Env: []string{"STOA_LOG_LEVEL=error"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
}
