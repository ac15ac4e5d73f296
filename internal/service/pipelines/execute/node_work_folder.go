package execute

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/sandbox"
)

// newNode makes the folders of a node.
func (e *Executor) newNode(ctx context.Context, t Task, h Host, r Reporter) (*node, error) {
	dir, held, err := e.enter()
	if err != nil {
		return nil, err
	}
	n := &node{executor: e, held: held, task: t, host: h, reporter: r, dir: dir, mask: newMask(t.Secrets),
		background: map[int]*step{}}
	n.tests = budget{cases: e.limits.Tests, bytes: maxResults, reports: maxReports}
	n.home, n.share = sandbox.DefaultHome, "/run/stoa"
	switch {
	case e.remote != nil:
		n.home, n.share = e.remote.Folders()
	case !e.sandbox.Confined():
		n.home, n.share = n.path("home"), n.path("share")
	}
	n.work = n.place(t.Job.WorkingDirectory)
	n.ctx, n.cancel = context.WithCancelCause(ctx)
	if err := n.furnish(); err != nil {
		n.leave()
		return nil, err
	}
	return n, nil
}

// leave removes everything. A folder that cannot be removed now is found again
// by Open.
func (n *node) leave() {
	n.cancel(errOver)
	_ = sandbox.Remove(n.dir) // or later, by Open
	_ = n.held.Close()        // opened for its lock only
	n.executor.leave(filepath.Dir(n.dir))
}

// furnish makes what is in the folder before anything runs.
func (n *node) furnish() error {
	for _, d := range []struct {
		name string
		mode os.FileMode
	}{{"home", 0o700}, {"home/.stoa", 0o755}, {"share", 0o755}, {"share/bin", 0o755}, {"share/in", 0o700}} {
		if err := os.Mkdir(n.path(d.name), d.mode); err != nil {
			return fmt.Errorf("execute: furnishing a work folder: %w", err)
		}
	}
	// Revisions lie there for a moment: for the job to read, and for no other.
	if err := n.executor.sandbox.Chown(n.path("share/in"), n.path("home")); err != nil {
		return err
	}
	// What steps share by way of BASH_ENV.
	if err := os.WriteFile(n.path("home/.stoa/env"), nil, 0o644); err != nil {
		return fmt.Errorf("execute: furnishing a work folder: %w", err)
	}
	if err := n.writeTimings(); err != nil {
		return err
	}
	for _, name := range append([]string{"stoa-agent"}, n.task.Agents...) {
		if name != filepath.Base(name) {
			return fmt.Errorf("execute: %q is not a name for a program", name)
		}
		if err := os.WriteFile(n.path("share/bin/"+name), []byte(agent), 0o755); err != nil {
			return fmt.Errorf("execute: furnishing a work folder: %w", err)
		}
	}
	// The folder must be open to the user that programs run as; home is closed
	// to everybody else when the sandbox takes it over.
	if err := os.Chmod(n.dir, 0o711); err != nil {
		return fmt.Errorf("execute: furnishing a work folder: %w", err)
	}
	return nil
}
