package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// Executor runs nodes below one folder. It is safe for concurrent use.
type Executor struct {
	sandbox *sandbox.Sandbox
	dir     string
	clock   clock.Clock
	limits  Limits
}

// New keeps what it is given. dir is for work folders and belongs to this
// executor alone.
func New(sb *sandbox.Sandbox, dir string, c clock.Clock, l Limits) *Executor {
	return &Executor{sandbox: sb, dir: dir, clock: c, limits: l.complete()}
}

// prefix begins the name of every work folder.
const prefix = "job-"

// Open removes what killed servers left behind, ours and those of folders that
// may be gone. The programs of such a server died with it; the few that did not
// are ended here. Work folders of a server that lives are locked and left alone.
// It is called once, before the first Run.
func (e *Executor) Open(context.Context) error {
	place, err := e.sandbox.Place(e.dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, place := range append([]string{place}, e.sandbox.Places()...) {
		entries, err := os.ReadDir(place)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, fmt.Errorf("execute: looking for left-over work folders: %w", err))
		}
		for _, entry := range entries {
			if entry.IsDir() && strings.HasPrefix(entry.Name(), prefix) {
				failed = append(failed, e.sweep(filepath.Join(place, entry.Name())))
			}
		}
		e.leave(place)
	}
	return errors.Join(failed...)
}

// Close removes the place of the work folders if it is empty. It is called
// after the last Run.
func (e *Executor) Close() error {
	place, err := e.sandbox.Place(e.dir)
	if err != nil {
		return err
	}
	e.leave(place)
	return nil
}

// sweep removes one left-over folder, unless a process holds it.
func (e *Executor) sweep(dir string) error {
	held, err := lock(dir)
	if errors.Is(err, errLocked) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("execute: locking a left-over work folder: %w", err)
	}
	defer held.Close()
	e.sandbox.End(filepath.Join(dir, "home"))
	return sandbox.Remove(dir)
}

// leave removes a place outside of our folder when nothing is in it.
func (e *Executor) leave(place string) {
	if place != e.dir {
		_ = os.Remove(place) // what is in use stays
	}
}

// enter makes a work folder and locks it. Another run may just have removed the
// empty place around it, or another server's Open the folder before it was
// locked; then it is made again.
func (e *Executor) enter() (dir string, held *os.File, err error) {
	for range 10 {
		var place string
		if place, err = e.sandbox.Place(e.dir); err != nil {
			return "", nil, err
		}
		if dir, err = os.MkdirTemp(place, prefix); err == nil {
			if held, err = lock(dir); err == nil {
				if _, err = os.Lstat(dir); err == nil {
					return dir, held, nil
				}
				_ = held.Close() // opened for its lock only
			}
		}
	}
	return "", nil, fmt.Errorf("execute: no work folder: %w", err)
}

// Causes of an early end, besides ErrCanceled.
var (
	errSilent  = errors.New("execute: no output for too long")
	errTimeout = errors.New("execute: the job took too long")
)

// Run runs one node. The outcome is always set; the error explains
// Infrastructure and is nil otherwise. When Run returns, no process and no
// file of the node is left.
func (e *Executor) Run(ctx context.Context, t Task, h Host, r Reporter) (Outcome, error) {
	n, err := e.newNode(ctx, t, h, r)
	if err != nil {
		return Infrastructure, err
	}
	defer n.leave()
	outcome, err := n.run()
	return outcome, n.mask.hideError(err)
}

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
	if !e.sandbox.Confined() {
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
	if err := n.executor.sandbox.Give(n.path("share/in"), n.path("home")); err != nil {
		return err
	}
	// What steps share by way of BASH_ENV.
	if err := os.WriteFile(n.path("home/.stoa/env"), nil, 0o644); err != nil {
		return fmt.Errorf("execute: furnishing a work folder: %w", err)
	}
	for _, name := range append([]string{"stoa-agent"}, n.task.Agents...) {
		if name != filepath.Base(name) {
			return fmt.Errorf("execute: %q is no name for a program", name)
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

// agent is the program by which a step speaks to its job: "step halt" ends the
// job after this step, with success.
const agent = `#!/bin/sh
if [ "$1 $2" = "step halt" ]; then
  mkdir -p "$HOME/.stoa" && : > "$HOME/.stoa/halt"
  exit
fi
echo "usage: ${0##*/} step halt" >&2
exit 2
`

// timeout is how long the whole node may take.
func (n *node) timeout() time.Duration {
	if own := n.task.Job.Timeout; own > 0 && own < n.executor.limits.Timeout {
		return own
	}
	return n.executor.limits.Timeout
}

// wants reports whether a step runs after the course so far.
func wants(w recipe.When, failed bool) bool {
	switch w {
	case recipe.Always:
		return true
	case recipe.OnFail:
		return failed
	default:
		return !failed
	}
}
