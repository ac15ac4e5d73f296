package execute

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
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

// step is one step under way.
type step struct {
	*sink
	recipe.Step
	index int
}

// result is how a step ended.
type result struct {
	outcome Outcome
	code    int
	reason  string
	err     error // of Infrastructure
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

// place resolves a path of the recipe, relative to the job's folder.
func (n *node) place(p string) string { return place(n.home, n.work, p) }

// run runs the steps and closes the sandbox.
func (n *node) run() (Outcome, error) {
	defer n.cancel(errOver)
	limit := n.executor.clock.NewTimer(n.timeout())
	defer limit.Stop()
	n.watching.Go(func() {
		select {
		case <-limit.C:
			n.cancel(errTimeout)
		case <-n.ctx.Done():
		}
	})
	outcome, err := n.steps()
	if n.session != nil {
		n.session.close()
	}
	n.cancel(errOver)
	n.watching.Wait()
	if failed := n.endBackground(outcome); failed != nil && outcome != Infrastructure {
		return Infrastructure, failed
	}
	return outcome, err
}

func (n *node) steps() (Outcome, error) {
	for i, s := range n.task.Job.Steps {
		if n.halted {
			break
		}
		if context.Cause(n.ctx) != nil {
			r := n.ended()
			return r.outcome, r.err
		}
		if !wants(s.When, n.failed) {
			continue
		}
		r := n.step(i, s)
		switch r.outcome {
		case Success:
		case Failed:
			n.failed = true
			if n.session != nil && n.session.over() {
				return Failed, nil
			}
		case TimedOut, Canceled, Infrastructure:
			return r.outcome, r.err
		}
	}
	if n.failed {
		return Failed, nil
	}
	return Success, nil
}

// step reports and runs one step.
func (n *node) step(i int, s recipe.Step) result {
	start := StepStart{Step: i, Kind: s.Kind, Name: s.Name, At: n.executor.clock.Now()}
	silence := n.executor.limits.Silence
	if s.Run != nil {
		start.Command, start.Background = s.Run.Command, s.Run.Background
		if s.Run.Silence > 0 {
			silence = s.Run.Silence
		}
	}
	if err := n.reporter.StepStarted(n.ctx, start); err != nil {
		return n.infrastructure(fmt.Errorf("reporting the start of a step: %w", err))
	}
	st := &step{Step: s, index: i, sink: n.sink(i, silence)}
	r := n.perform(st)
	if start.Background && r.outcome == Success {
		return r // its end is reported when it comes
	}
	return n.end(st, r)
}

func (n *node) sink(i int, silence time.Duration) *sink {
	s := &sink{
		ctx: n.ctx, clock: n.executor.clock, reporter: n.reporter, mask: n.mask, step: i,
		left:    n.executor.limits.Output,
		silence: silence, fail: n.cancel, ended: make(chan struct{}),
	}
	s.out = func(p []byte) error { return s.emit("out", p) }
	s.touch()
	return s
}

// end reports the end of a step, also when the node was cancelled.
func (n *node) end(st *step, r result) result {
	st.close()
	err := n.reporter.StepEnded(context.WithoutCancel(n.ctx), StepEnd{
		Step: st.index, Outcome: r.outcome, Code: r.code, Truncated: st.truncated, Reason: n.mask.hide(r.reason),
		At: n.executor.clock.Now(),
	})
	if err != nil && r.outcome != Infrastructure {
		return n.infrastructure(fmt.Errorf("reporting the end of a step: %w", err))
	}
	return r
}

func (n *node) infrastructure(err error) result {
	// A node that was stopped fails in many places; what counts is why.
	if cause := context.Cause(n.ctx); cause != nil && !errors.Is(cause, errOver) {
		return n.ended()
	}
	return result{outcome: Infrastructure, code: -1, reason: err.Error(), err: err}
}

// perform does what a step says.
func (n *node) perform(st *step) result {
	if st.Kind == recipe.KindCheckout {
		return n.checkout(st)
	}
	if err := n.open(); err != nil {
		return n.infrastructure(err)
	}
	switch st.Kind {
	case recipe.KindRun:
		if st.Run.Background {
			return n.runBackground(st)
		}
		return n.runCommand(st)
	case recipe.KindSave:
		return n.saveCache(st)
	case recipe.KindRestore:
		return n.restoreCache(st)
	case recipe.KindStore:
		return n.storeArtifacts(st)
	case recipe.KindTests:
		return n.storeTests(st)
	case recipe.KindPersist:
		return n.persist(st)
	case recipe.KindAttach:
		return n.attach(st)
	case recipe.KindKeys:
		return n.addKeys(st)
	default:
		return n.infrastructure(fmt.Errorf("execute: a step of kind %q", st.Kind))
	}
}

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
	s, err := openSession(n.ctx, n.executor.sandbox, spec, behind, n.mask.longest)
	if err != nil {
		return err
	}
	n.session = s
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
	all := map[string]string{"BASH_ENV": n.home + "/.stoa/env"}
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

// over reports whether the sandbox has ended.
func (s *session) over() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// ended explains the end of a sandbox, or of a node without one.
func (n *node) ended() result {
	cause := context.Cause(n.ctx)
	r := result{code: -1}
	var exit sandbox.Exit
	if n.session != nil && n.session.over() {
		exit = n.session.exit
		if cause == nil {
			cause = n.session.err
		}
	}
	l := n.executor.limits
	switch {
	case errors.Is(cause, errSilent):
		r.outcome, r.reason = TimedOut, "The step printed nothing for too long and was stopped (no_output_timeout)."
	case errors.Is(cause, errTimeout):
		r.outcome, r.reason = TimedOut, fmt.Sprintf("The job ran longer than %s and was stopped.", n.timeout())
	case errors.Is(cause, ErrCanceled):
		r.outcome, r.reason = Canceled, "The job was canceled."
	case cause != nil:
		r.outcome, r.reason, r.err = Infrastructure, cause.Error(), cause
	case exit.OutOfMemory:
		r.outcome, r.reason = Failed, fmt.Sprintf("The job used more than %d MiB of memory and was stopped.",
			l.Memory>>20)
	case exit.OutOfDisk:
		r.outcome, r.reason = Failed, fmt.Sprintf("The job used more than %d MiB of disk, or more files or levels "+
			"of folders than it may, and was stopped.", l.Disk>>20)
	default:
		r.outcome, r.reason = Failed, "The job ended the shell that runs its steps. "+
			""+strings.TrimSpace(n.session.complaint.String())
	}
	return r
}
