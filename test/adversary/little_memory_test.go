package adversary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/adversary"
	"stoa.dev/stoa/test/program"
)

// littleMemory is what a server may use that has little.
const littleMemory = 96 << 20

// TestLittleMemory sends the sample of attacks to a server that may use 96 MB. What does not fit is refused in the
// envelope of its service, the process lives, and it serves again when the attack is over. Where
// a control group can be made the kernel holds the bound, and would end the process; elsewhere
// the process is only told it.
func TestLittleMemory(t *testing.T) {
	t.Setenv("TMPDIR", "/var/tmp") // files in memory would count as the server's
	binary, err := program.BuildRelease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bound := boundMemory(t)
	starter := filepath.Join(t.TempDir(), "stoa")
	if err := os.WriteFile(starter, []byte("#!/bin/sh\n"+bound.enter+"exec "+binary+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Making the demo hashes passwords and runs git: the server that has it is attacked.
	dir := t.TempDir()
	if err := startOn(t, dir, binary, binary).process.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := startOn(t, dir, binary, starter, bound.env...)
	attacks, statuses := choose(t, false), map[int]int{}
	s.target.Drive(t.Context(), attacks, connections, func(o adversary.Outcome) {
		statuses[o.Status]++
		if o.Status >= 500 && o.Status != http.StatusServiceUnavailable && o.Status != http.StatusNotImplemented {
			t.Errorf("%s: answered %d after %s", o.Attack, o.Status, o.Took)
		}
		if !polite(o) {
			t.Errorf("%s: refused with %d and no envelope: %s %.200q", o.Attack, o.Status, o.Media, o.Refusal)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	for n := range 20 {
		if err := s.bystander(ctx); err != nil {
			t.Fatalf("question %d after the attack: %v", n+1, err)
		}
	}
	back, kills := time.Since(began), bound.kills(t)
	full := statuses[http.StatusRequestEntityTooLarge] + statuses[http.StatusTooManyRequests] +
		statuses[http.StatusServiceUnavailable]
	t.Logf("answers by status %v", statuses)
	t.Logf("%d attacks in 96 MB, %s: %d refused for their size, at most %d MiB used, %d processes ended, back after %s",
		len(attacks), bound.said, full, bound.most(t)>>20, kills, back.Round(time.Millisecond))
	if kills > 0 {
		t.Errorf("the kernel ended %d processes for the memory they took", kills)
	}
	if full == 0 {
		t.Error("nothing was refused for its size: the bound was not felt")
	}
	if err := s.process.Stop(context.Background()); err != nil {
		t.Errorf("the server did not survive: %v", err)
	}
}

// polite reports whether a refusal for want of memory says so as the service does: JSON, or
// what a service without JSON has, but not nothing.
func polite(o adversary.Outcome) bool {
	crowded := o.Status == http.StatusTooManyRequests || o.Status == http.StatusServiceUnavailable
	if !crowded || o.Attack.Operation.Method == "HEAD" {
		return true
	}
	if strings.Contains(o.Media, "json") {
		return json.Valid(o.Refusal)
	}
	return len(o.Refusal) > 0
}

// memoryBound is how a process is held to its memory.
type memoryBound struct {
	said  string // in words
	enter string // lines of a script
	env   []string
	kills func(*testing.T) int // how many processes the kernel ended
	most  func(*testing.T) int // the most that was used at once, 0 where that is not known
}

// boundMemory makes a control group of either version, or else names the bound to the runtime.
func boundMemory(t *testing.T) memoryBound {
	t.Helper()
	name := fmt.Sprintf("stoa-test-%d", os.Getpid())
	for _, g := range []struct{ version, folder, limit, events, most string }{
		{"2", "/sys/fs/cgroup", "memory.max", "memory.events", "memory.peak"},
		{"1", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control", "memory.max_usage_in_bytes"},
	} {
		folder := filepath.Join(g.folder, name)
		if os.Mkdir(folder, 0o755) != nil {
			continue // not mounted, or not ours
		}
		t.Cleanup(func() { removeGroup(t, folder) })
		// Only where the file is there already does the kernel count memory.
		limit := filepath.Join(folder, g.limit)
		if _, err := os.Stat(limit); err != nil {
			continue
		}
		if os.WriteFile(limit, fmt.Append(nil, littleMemory), 0o644) != nil {
			continue
		}
		return memoryBound{
			said:  "held by a control group of version " + g.version,
			enter: "echo $$ > " + filepath.Join(folder, "cgroup.procs") + " || exit 1\n",
			kills: func(t *testing.T) int { return numberAfter(t, filepath.Join(folder, g.events), "oom_kill ") },
			most:  func(t *testing.T) int { return numberAfter(t, filepath.Join(folder, g.most), "") },
		}
	}
	return memoryBound{
		said:  "told to the runtime, as no control group can be made here",
		env:   []string{fmt.Sprintf("GOMEMLIMIT=%d", littleMemory)},
		kills: func(*testing.T) int { return 0 },
		most:  func(*testing.T) int { return 0 },
	}
}

// removeGroup waits for the processes of a group to be gone.
func removeGroup(t *testing.T, folder string) {
	t.Helper()
	var err error
	for range 100 {
		if err = os.Remove(folder); err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the control group is left: %v", err)
}

// numberAfter reads the number at the beginning of a line after a word, 0 where an older
// kernel does not have the file or the line.
func numberAfter(t *testing.T, file, word string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut("\n"+string(text), "\n"+word)
	if !found {
		return 0
	}
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
