package runner

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

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
	plan, err := details.PlanOfJob()
	if err != nil {
		return nil, err
	}
	b.Messages = build.Warnings(plan.Job)
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
	if err := build.KeepSerialGroup(ctx, tx, b.ID, old.ID); err != nil {
		return nil, err
	}
	r.Announce(tx, &b)
	old.Retries = append(old.Retries, num)
	return &b, nil
}
