package execute

import (
	"context"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

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
	if err := n.continuePipeline(); err != nil {
		return Infrastructure, err
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
