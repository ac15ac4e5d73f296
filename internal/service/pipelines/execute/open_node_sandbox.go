package execute

import (
	"context"
	"fmt"
	"os"

	"stoa.dev/stoa/internal/platform/sandbox"
)

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
