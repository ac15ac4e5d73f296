package runner

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// AdvanceWorkflow moves a workflow on whose jobs another part of the service has ended.
func (r *Runner) AdvanceWorkflow(ctx context.Context, tx *database.Tx, workflowID string) error {
	return r.advanceWorkflow(ctx, tx, workflowID)
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
