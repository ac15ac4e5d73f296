package execute

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/platform/sandbox"
)

// node is one call of Run.
type node struct {
	executor *Executor
	task     Task
	host     Host
	reporter Reporter
	mask     *mask
	// ctx ends with the node; its cause says why.
	ctx    context.Context
	cancel context.CancelCauseFunc

	dir  string   // on the host
	held *os.File // the lock on dir
	// home, work and share are folders as programs see them.
	home, work, share string

	session   *session
	failed    bool
	halted    bool
	artifacts int
	uploaded  int64 // bytes of artifacts
	saved     int64 // bytes of caches and workspace layers
	tests     budget
	checkouts int

	mu         sync.Mutex
	background map[int]*step
	watching   sync.WaitGroup
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

// place resolves a path of the recipe, relative to the job's folder.
func (n *node) place(p string) string { return place(n.home, n.work, p) }

// open starts the sandbox if it does not run yet.
func (n *node) open() error {
	if n.session != nil {
		return nil
	}
	l, behind := n.executor.limits, 0
	for _, s := range n.task.Job.Steps {
		if s.Run != nil && s.Run.Background {
			behind++
		}
	}
	if behind > maxBackground {
		return fmt.Errorf("execute: %d steps in the background, at most %d", behind, maxBackground)
	}
	spec := sandbox.Spec{
		Dir: n.path("home"), Home: n.home, Env: n.environment(), Network: n.task.Job.Network,
		ReadOnly: []sandbox.Mount{{Host: n.path("share"), Inside: n.share}},
		Memory:   l.Memory, Disk: l.Disk, Temporary: l.Temporary, CPU: l.CPU, Processes: l.Processes, Output: 64 << 10,
	}
	// Made here it costs no process inside.
	if rest, ok := inside(n.home, n.work); ok {
		n.makeFolder(rest)
	}
	run := n.executor.sandbox.Run
	if remote := n.executor.remote; remote != nil {
		spec.Env = nil // see remoteEnvironment
		run = func(ctx context.Context, spec sandbox.Spec) (sandbox.Exit, error) {
			return remote.Run(ctx, &n.task, spec)
		}
	}
	s, err := openSession(n.ctx, run, spec, behind, n.mask.longest)
	if err != nil {
		return err
	}
	n.session = s
	if n.executor.remote != nil {
		s.behindPath = n.share + "/pipes"
		_ = s.send(n.remoteEnvironment()) // as below
	}
	n.watching.Go(n.watchBackground)
	// The sandbox may be gone already; then the first step says so.
	_ = s.send(fmt.Sprintf(`PATH="$PATH:%s/bin"; export PATH; umask 022`, n.share))
	return nil
}

// makeFolder makes a folder below home. A revision may lie there already, and
// its links lead where its author likes, so nothing that a link leads out of
// home is made here: the shell inside tries again, where the name means what the
// job sees, and says what is wrong.
func (n *node) makeFolder(name string) {
	home, err := os.OpenRoot(n.path("home"))
	if err != nil {
		return
	}
	defer home.Close()
	_ = home.MkdirAll(name, 0o755) // the shell tries again
}

// maxBackground bounds the pipes of one job.
const maxBackground = 32

// environment is what every step sees: built-ins and project first, the job's
// own over them.
func (n *node) environment() []string {
	all := map[string]string{
		"BASH_ENV":        n.home + "/.stoa/env",
		"STOA_NODE_INDEX": strconv.Itoa(n.task.Node), "STOA_NODE_TOTAL": strconv.Itoa(max(1, n.task.Nodes)),
	}
	maps.Copy(all, n.task.Environment)
	maps.Copy(all, n.task.Job.Environment)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "" && !strings.ContainsAny(name, "=\x00") {
			out = append(out, name+"="+strings.ReplaceAll(all[name], "\x00", ""))
		}
	}
	return out
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
