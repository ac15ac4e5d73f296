package runner

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/forge"
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

// Retry makes a job that does the work of another once more for an actor, and notes it in the other.
func (r *Runner) Retry(
	ctx context.Context, tx *database.Tx, old *build.Build, why build.Why, actor forge.Actor,
) (*build.Build, error) {
	again, err := r.repeat(ctx, tx, old, why, actor)
	if err != nil {
		return nil, err
	}
	return again, build.UpdateRetries(ctx, tx, *old)
}

// repeat makes a job that does the same work once more, and notes it in the old one, which the caller writes. Work
// that the platform repeats by itself counts as an attempt and was pushed when it was pushed first.
func (r *Runner) repeat(
	ctx context.Context, tx *database.Tx, old *build.Build, why build.Why, actor forge.Actor,
) (*build.Build, error) {
	details, err := build.DetailsOf(ctx, tx, old.ID)
	if err != nil {
		return nil, err
	}
	num, err := build.TakeNumbers(ctx, tx, old.RepoID, 1)
	if err != nil {
		return nil, err
	}
	now := r.now()
	b := build.Build{
		RepoID: old.RepoID, OwnerID: old.OwnerID, Num: num, JobName: old.JobName,
		Branch: old.Branch, Revision: old.Revision, Tag: old.Tag, Committer: old.Committer, Author: old.Author,
		Subject: old.Subject, Body: old.Body, Compare: old.Compare, Why: why,
		PushedAt: now, UsageQueuedAt: now, QueuedAt: now, State: build.NewState(), RetryOf: old.Num,
		Parallel: old.Parallel, Parameters: old.Parameters, NoCache: old.NoCache, OSS: old.OSS, Actor: actor,
		SSH: why == build.WhySSH, Workflow: old.Workflow,
	}
	if why == build.WhyRebuild {
		b.Attempts, b.PushedAt = old.Attempts+1, old.PushedAt
	}
	if b.Workflow.ID != "" {
		b.Workflow.JobID = r.world.IDs.UUID()
	}
	if err := b.FindPrevious(ctx, tx); err != nil {
		return nil, err
	}
	if b.State, err = b.State.Apply(build.Event{Kind: build.EventReady}); err != nil {
		return nil, err
	}
	if err := build.Insert(ctx, tx, &b, details); err != nil {
		return nil, err
	}
	r.Announce(tx, &b)
	old.Retries = append(old.Retries, num)
	return &b, nil
}

// advanceWorkflow moves a workflow on: jobs whose requirements are met become ready, jobs whose requirements cannot be
// met any more never run.
func (r *Runner) advanceWorkflow(ctx context.Context, tx *database.Tx, workflowID string) error {
	all, err := build.OfWorkflow(ctx, tx, workflowID)
	if err != nil {
		return err
	}
	latest := map[string]*build.Build{}
	for i := range all {
		latest[all[i].JobName] = &all[i]
	}
	for moved := true; moved; {
		moved = false
		for i := range all {
			b := &all[i]
			if b.State.Lifecycle != build.NotRunning {
				continue
			}
			changed, err := r.advance(ctx, tx, b, latest)
			if err != nil {
				return err
			}
			moved = moved || changed
		}
	}
	return nil
}

// advance moves one waiting job on if that is decided, and reports whether it was.
func (r *Runner) advance(
	ctx context.Context, tx *database.Tx, b *build.Build, latest map[string]*build.Build,
) (bool, error) {
	plan, err := build.PlanOf(ctx, tx, b.ID)
	if err != nil {
		return false, err
	}
	event := build.Event{Kind: build.EventReady}
	for _, name := range b.Workflow.Requires {
		upstream := latest[name]
		switch {
		case upstream != nil && !upstream.State.Ended():
			return false, nil
		case upstream == nil || !meets(upstream.State, plan.Job.After[name]):
			event = build.Event{Kind: build.EventSkip}
		}
	}
	if event.Kind == build.EventReady && b.Workflow.Approval {
		return false, nil // a user has to approve it
	}
	if b.State, err = b.State.Apply(event); err != nil {
		return false, err
	}
	if event.Kind == build.EventSkip {
		b.DontBuild = build.DontBuildRequires
	} else {
		b.QueuedAt = r.now()
	}
	if err := build.Update(ctx, tx, b); err != nil {
		return false, err
	}
	r.Announce(tx, b)
	return true, nil
}

// meets reports whether an end is one of those asked for; success by default.
func meets(s build.State, wanted []string) bool {
	if len(wanted) == 0 {
		wanted = []string{"success"}
	}
	word := "failed"
	switch {
	case s.Lifecycle == build.NotRun:
		word = "not_run"
	case s.Outcome == build.Success, s.Outcome == build.NoTests:
		word = "success"
	case s.Outcome == build.Canceled:
		word = "canceled"
	}
	return slices.Contains(wanted, word) || slices.Contains(wanted, "terminal")
}
