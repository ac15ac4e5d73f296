package runner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

const (
	// finishTime bounds how long the end of a run may take to be written.
	finishTime = time.Minute
	// finishPause is the pause before it is tried again.
	finishPause = 500 * time.Millisecond
)

// run runs a claimed job to its end and writes how it ended. If that cannot be written the lease runs out, and the job
// is found lost.
func (r *Runner) run(ctx context.Context, b *build.Build) {
	p := newProgress(r, b)
	stopped := context.AfterFunc(ctx, p.abort)
	defer stopped()
	var flushing sync.WaitGroup
	flushing.Go(func() { p.loop(ctx) })
	ended := r.runNodes(ctx, b, p)
	p.finish()
	flushing.Wait()

	event, reason := build.Event{Kind: build.EventFinish, Outcome: ended.outcome}, ended.reason
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		event, reason = build.Event{Kind: build.EventLost}, "the worker was stopped"
	case errors.Is(cause, errUnwritten):
		event, reason = build.Event{Kind: build.EventLost}, "the database was away for too long"
	case ended.outcome == build.InfrastructureFail && isTemporary(ended.err):
		// Nothing is wrong with the job: it is run again, as one whose worker is gone.
		event = build.Event{Kind: build.EventLost}
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	err := r.writeEnd(ending, b, p, event, reason)
	for isTemporary(err) && ctx.Err() == nil && clock.Sleep(ending, r.machine, finishPause) == nil {
		err = r.writeEnd(ending, b, p, event, reason)
	}
	if err != nil && !errors.Is(err, build.ErrLeaseLost) && !build.IsTransition(err) {
		r.log.LogAttrs(ctx, slog.LevelError, "end of job not written", slog.Int64("job", b.ID), slog.Any("error", err))
	}
}

// isTemporary reports whether a failure may be over in a moment. A commit whose outcome is unknown is one: if it
// happened, the fence says so the next time.
func isTemporary(err error) bool {
	return errors.Is(err, database.ErrUnavailable) || errors.Is(err, database.ErrBusy) ||
		errors.Is(err, database.ErrUnknown) || errors.Is(err, blob.ErrUnavailable)
}

// writeEnd writes what is left of a run's progress, and how it ended.
func (r *Runner) writeEnd(ctx context.Context, b *build.Build, p *progress, event build.Event, reason string) error {
	return r.change(ctx, b.RepoID, func(ctx context.Context, tx *database.Tx) error {
		if err := p.write(ctx, tx); err != nil {
			return err
		}
		// Numbers and marks of the row may have changed since it was claimed.
		fresh, err := build.ByID(ctx, tx, b.ID)
		if err != nil {
			return err
		}
		if fresh.Lease.Fence != b.Lease.Fence {
			return build.ErrLeaseLost
		}
		return r.Finish(ctx, tx, &fresh, event, reason)
	})
}

// runNodes runs all nodes of a job and combines their outcomes.
func (r *Runner) runNodes(ctx context.Context, b *build.Build, p *progress) result {
	asked := grants.Initiator{UserID: b.Actor.UserID()}
	switch err := asked.MayGoOn(ctx, r.world.DB, r.now()); {
	case errors.Is(err, identity.ErrDisabled):
		return result{build.Canceled, "The account " + b.Actor.Name + ", which asked for this, is disabled or removed.", err}
	case err != nil:
		return notRun(err)
	}
	task, err := r.task(ctx, b)
	if err != nil {
		return notRun(err)
	}
	repo, err := r.o.Forge.Repository(ctx, b.RepoID)
	if err != nil {
		return notRun(err)
	}
	p.spinUp(ctx, task, r.place(task))
	results := make([]result, task.Nodes)
	var nodes sync.WaitGroup
	for n := range task.Nodes {
		nodes.Go(func() { results[n] = r.runNode(ctx, b, repo, task, n, p) })
	}
	nodes.Wait()
	ended := combine(results)
	if ended.outcome == build.Success && !runsCommands(task.Job) {
		return result{outcome: build.NoTests, reason: "the job names no command"}
	}
	return ended
}

// result is how a node ended, and err what kept the runner from running it.
type result struct {
	outcome build.Outcome
	reason  string
	err     error
}

func notRun(err error) result { return result{build.InfrastructureFail, err.Error(), err} }

// runNode runs one node, once it has a slot: a job with many nodes waits for each like many jobs. The slot of a job
// with one node is the job's until it has ended.
func (r *Runner) runNode(
	ctx context.Context, b *build.Build, repo forge.Repository, task execute.Task, n int, p *progress,
) result {
	q := r.queue
	if err := q.slots.acquire(ctx, b.ID, q.wake); err != nil {
		if errors.Is(err, execute.ErrCanceled) {
			return result{outcome: build.Canceled}
		}
		return notRun(err)
	}
	if task.Nodes > 1 {
		defer q.wake()
		defer q.slots.release(b.ID)
	}
	task.Node = n
	task.Environment = r.environment(b, repo, task, n)
	h := &executeHost{r: r, build: b, repo: repo, node: n, progress: p}
	outcome, err := r.engine.Run(ctx, task, h, &nodeProgress{progress: p, node: n})
	reason := p.reasonOf(n)
	if err != nil {
		reason = err.Error()
	}
	return result{outcomeOf(outcome), reason, err}
}

// outcomeOf translates the engine's word to the contract's.
func outcomeOf(o execute.Outcome) build.Outcome {
	switch o {
	case execute.Success:
		return build.Success
	case execute.Failed:
		return build.Failed
	case execute.TimedOut:
		return build.TimedOut
	case execute.Canceled:
		return build.Canceled
	case execute.Infrastructure:
	}
	return build.InfrastructureFail
}

// combine is the outcome of a job with several nodes: the worst of them.
func combine(results []result) result {
	for _, o := range []build.Outcome{build.Canceled, build.InfrastructureFail, build.TimedOut, build.Failed} {
		for _, one := range results {
			if one.outcome == o {
				return one
			}
		}
	}
	return result{outcome: build.Success}
}

// runsCommands reports whether a job does anything that can fail or succeed.
func runsCommands(j recipe.Job) bool {
	for _, step := range j.Steps {
		if step.Kind == recipe.KindRun {
			return true
		}
	}
	return false
}
