//go:build unix

package databasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// OwnServer is a PostgreSQL of one test's own, which it may stop in the middle. What it
// acknowledges survives the end of its processes, unlike in the cluster that tests share.
type OwnServer struct{ c *cluster }

// StartServer starts one, which ends with the test.
func StartServer(t testing.TB) *OwnServer {
	t.Helper()
	o, err := NewServer(t.Context())
	var missing *missingError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Remove(); err != nil {
			t.Errorf("remove the server: %v", err)
		}
	})
	return o
}

// NewServer starts one for a caller that is no test and removes it.
func NewServer(ctx context.Context) (*OwnServer, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	// Not the test's folder: the path of a socket has a hundred characters at most.
	if c.dir, err = os.MkdirTemp("", "stoa-pg-"); err != nil {
		return nil, err
	}
	c.settings = []string{"-c", "synchronous_commit=on", "-c", "full_page_writes=on"}
	ctx, cancel := context.WithTimeout(ctx, guard)
	defer cancel()
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return &OwnServer{c}, nil
}

// Remove ends the server and deletes its folder.
func (o *OwnServer) Remove() error { return o.c.remove() }

// URL is that of a new and empty database.
func (o *OwnServer) URL(t testing.TB) string {
	t.Helper()
	u, err := o.NewURL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// NewURL is URL for a caller that is no test.
func (o *OwnServer) NewURL(ctx context.Context) (string, error) {
	s := &server{admin: o.c.adminURL()}
	name, err := s.create(ctx, nil)
	if err != nil {
		return "", err
	}
	return s.url(name), nil
}

// Restart ends the server, all its connections with it and without a last word to disk, as
// a power cut does, and starts it again.
func (o *OwnServer) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, guard)
	defer cancel()
	processes, err := o.processes(ctx)
	if err != nil {
		return err
	}
	if err := syscall.Kill(processes[0], syscall.SIGQUIT); err != nil {
		return err
	}
	// It is a child of this process, which stays until it is asked how it ended.
	for {
		ended, err := syscall.Wait4(processes[0], nil, syscall.WNOHANG, nil)
		if ended != 0 && !errors.Is(err, syscall.EINTR) {
			break
		}
		if err := clock.Sleep(ctx, clock.Real(), 10*time.Millisecond); err != nil {
			return fmt.Errorf("PostgreSQL does not end: %w", err)
		}
	}
	if err := o.c.launch(); err != nil {
		return err
	}
	return o.c.reach(ctx, guard)
}

// Pause stops every process of the server for a while.
func (o *OwnServer) Pause(ctx context.Context, d time.Duration) error {
	processes, err := o.processes(ctx)
	if err != nil {
		return err
	}
	signal := func(s syscall.Signal) {
		for _, pid := range processes {
			_ = syscall.Kill(pid, s) // a connection may have ended meanwhile
		}
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT)
	return clock.Sleep(ctx, clock.Real(), d)
}

// processes are the postmaster and its children.
func (o *OwnServer) processes(ctx context.Context) ([]int, error) {
	raw, err := os.ReadFile(o.c.path("data", "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	first, err := strconv.Atoi(line)
	if err != nil {
		return nil, err
	}
	list, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, err
	}
	found := []int{first}
	for row := range strings.Lines(string(list)) {
		var pid, parent int
		if n, err := fmt.Sscan(row, &pid, &parent); n == 2 && err == nil && parent == first {
			found = append(found, pid)
		}
	}
	return found, nil
}
