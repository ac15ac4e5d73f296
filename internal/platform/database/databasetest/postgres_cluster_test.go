//go:build unix

package databasetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// newTestCluster is a cluster apart from the shared one.
func newTestCluster(t *testing.T, idle int) *cluster {
	t.Helper()
	c, err := newCluster()
	var missing *missingError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: its name may be too long for a socket, and its mode
	// keeps PostgreSQL's own user out.
	dir, err := os.MkdirTemp("", "stoa-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.dir, c.idle = filepath.Join(dir, "c"), idle
	t.Cleanup(func() {
		if err := errors.Join(c.remove(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *cluster) serverPID(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile(c.path("data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	for _, b := range raw {
		if b < '0' || b > '9' {
			break
		}
		pid = pid*10 + int(b-'0')
	}
	return pid
}

// TestClusterLife starts a new cluster when the old one died, and then lets the
// last user vanish without a word.
func TestClusterLife(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	if err := c.join(ctx); err != nil {
		t.Fatal(err)
	}
	first := c.serverPID(t)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := c.join(ctx); err != nil {
		t.Fatal(err)
	}
	second := c.serverPID(t)
	if second == first {
		t.Errorf("server is still %d", second)
	}
	if err := c.reach(ctx, guard); err != nil {
		t.Error(err)
	}
	mine := c.path("users", strconv.Itoa(os.Getpid()))
	if _, err := os.Stat(mine); err != nil {
		t.Fatalf("not registered: %v", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	for gone := false; !gone; {
		_, err := os.Stat(c.dir)
		// A zombie of ours counts as gone; only this process collects it.
		_, _ = syscall.Wait4(second, nil, syscall.WNOHANG, nil)
		gone = errors.Is(err, os.ErrNotExist) && errors.Is(syscall.Kill(second, 0), syscall.ESRCH)
		if err := clock.Sleep(ctx, clock.Real(), 20*time.Millisecond); err != nil {
			t.Fatalf("the cluster still runs: %v", err)
		}
	}
}

// TestBusyClusterIsKept has a server that does not answer for longer than one that is gone is waited for: others may be
// in the middle of their tests on it.
func TestBusyClusterIsKept(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t, 60)
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	if err := c.join(ctx); err != nil {
		t.Fatal(err)
	}
	first := c.serverPID(t)
	if err := syscall.Kill(first, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resumed := make(chan error, 1)
	go func() {
		slept := clock.Sleep(ctx, clock.Real(), 2500*time.Millisecond)
		resumed <- errors.Join(slept, syscall.Kill(first, syscall.SIGCONT))
	}()
	if err := errors.Join(c.join(ctx), <-resumed); err != nil {
		t.Fatal(err)
	}
	if second := c.serverPID(t); second != first {
		t.Errorf("server %d was replaced by %d", first, second)
	}
}
