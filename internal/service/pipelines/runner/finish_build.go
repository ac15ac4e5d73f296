package runner

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// Finish ends a job and does everything that follows from its end: it closes open steps, runs lost work again, moves
// the workflow on and calls Options.Ended. All of it is one transaction.
func (r *Runner) Finish(ctx context.Context, tx *database.Tx, b *build.Build, e build.Event, reason string) error {
	now := r.now()
	if err := r.complete(ctx, tx, b, &e); err != nil {
		return err
	}
	next, err := b.State.Apply(e)
	if err != nil {
		return err
	}
	b.State = next
	if next.Lifecycle == build.Finished {
		b.StopTime = now
	}
	if reason != "" {
		b.FailReason = build.Storable(reason)
	}
	if next.Outcome == build.Success && b.Success.Num == 0 {
		green, err := build.AnySuccess(ctx, tx, b.RepoID)
		if err != nil {
			return err
		}
		b.FirstGreen = !green
	}
	var again *build.Build
	if next.Status == build.StatusRetried {
		if again, err = r.repeat(ctx, tx, b, build.WhyRebuild, b.Actor); err != nil {
			return err
		}
	}
	if err := build.Update(ctx, tx, b); err != nil {
		return err
	}
	if err := build.EndActions(ctx, tx, b.ID, actionStatus(next.Outcome), now); err != nil {
		return err
	}
	r.Announce(tx, b)
	id := b.ID
	tx.OnCommit(func() { r.queue.stop(id) })
	if again == nil && b.Workflow.ID != "" {
		if err := r.advanceWorkflow(ctx, tx, b.Workflow.ID); err != nil {
			return err
		}
	}
	if b.State.Lifecycle == build.Finished {
		r.o.Ended(ctx, tx, b)
	}
	return nil
}

// maxLooks bounds how often a job is read again that a worker claims in the same moment: it can be claimed once.
const maxLooks = 4

// Cancel stops a job from outside of its worker and lets mark change it before. Jobs are claimed under another lock
// than they are canceled under, so the row may change between read and write; then it is read again. One that has
// ended stays as it is.
func (r *Runner) Cancel(
	ctx context.Context, tx *database.Tx, id int64, reason string, mark func(*build.Build),
) (b build.Build, err error) {
	for range maxLooks {
		if b, err = build.ByID(ctx, tx, id); err != nil || b.State.Ended() {
			return b, err
		}
		mark(&b)
		err = r.Finish(ctx, tx, &b, build.Event{Kind: build.EventCancel}, reason)
		if !errors.Is(err, build.ErrLeaseLost) {
			return b, err
		}
	}
	return b, err
}

// complete sets the parts of an event that the status of an end depends on.
func (r *Runner) complete(ctx context.Context, tx *database.Tx, b *build.Build, e *build.Event) (err error) {
	switch {
	case e.Kind == build.EventLost:
		e.RunAgain = b.Attempts < r.config.Reruns
	case e.Kind == build.EventFinish && e.Outcome == build.Success:
		e.WasFailing, err = b.WasFailing(ctx, tx)
	}
	return err
}

// actionStatus is what becomes of a step that a job's end interrupts.
func actionStatus(o build.Outcome) build.ActionStatus {
	switch o {
	case build.Canceled:
		return build.ActionCanceled
	case build.TimedOut:
		return build.ActionTimedOut
	case build.InfrastructureFail:
		return build.ActionBroken
	case build.Success, build.NoTests:
		return build.ActionSuccess
	case build.Failed:
	}
	return build.ActionFailed
}
