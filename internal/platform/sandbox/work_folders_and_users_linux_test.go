package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestEnd ends the processes of one work folder and of no other.
func TestEnd(t *testing.T) {
	t.Parallel()
	s := New(DefaultConfig(), clock.Real())
	start := func(env string) *exec.Cmd {
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.Env = []string{env}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	one, other := t.TempDir(), t.TempDir()
	left, spared := start(tag(one)+"7"), start(tag(other))
	s.End(one)
	if err := left.Wait(); err == nil || left.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("what was left ended with %v, want killed", err)
	}
	if err := spared.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the neighbour is gone: %v", err)
	}
	s.End(other)
	_ = spared.Wait() // killed
}

// TestWithin picks user ids that exist.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, idMap string
		from, count int
	}{
		{"the whole machine", "         0          0 4294967295\n", 788529152, 65536},
		{"no map", "", 788529152, 65536},
		{"a container of its own user", "0 1000 1\n1 100000 65536\n", 33268, 32268},
		{"a small container", "0 100000 65536\n", 33268, 32268},
		{"a large container", "0 100000 1000000\n", 500500, 65536},
		{"one user only", "0 1000 1\n", 788529152, 65536},
		{"garbage", "x\n", 788529152, 65536},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			from, count := idRange(tc.idMap, firstUser)
			if from != tc.from || count != tc.count {
				t.Errorf("idRange = %d, %d; want %d, %d", from, count, tc.from, tc.count)
			}
		})
	}
}

// TestPlaceAmongServers: servers that start at the same time look for places that
// are empty and remove them.
func TestPlaceAmongServers(t *testing.T) {
	t.Parallel()
	s := New(DefaultConfig(), clock.Real())
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(closed, "mine")
	if _, err := s.WorkRoot(mine); err != nil {
		t.Fatal(err)
	}
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			for range 300 {
				root, err := s.WorkRoot(mine)
				if err != nil {
					t.Error(err)
					return
				}
				_ = os.Remove(root) // as a server does that finds it empty
			}
		})
	}
	servers.Wait()
}
