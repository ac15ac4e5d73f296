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
