package pipelines

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Trigger runs the jobs of a revision and returns them.
func (s *Service) Trigger(
	ctx context.Context, r forge.Repository, o TriggerOptions, actor forge.Actor, why build.Why,
) ([]build.Build, error) {
	if o.Parallel < 0 || o.Parallel > maxParallel {
		return nil, errInvalid("parallel must be 1 to %d", maxParallel)
	}
	for _, word := range s.words.jobParameters {
		if o.Job == "" {
			o.Job = o.Parameters[word]
		}
	}
	if o.Branch == "" && o.Tag == "" {
		o.Branch = r.DefaultBranch
	}
	if o.Tag != "" {
		o.Branch = ""
	}
	if err := s.checkBranch(ctx, r, o.Branch); err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, trigger{TriggerOptions: o, repo: r, actor: actor, why: why})
	if err != nil {
		return nil, err
	}
	builds, err := s.makeBuilds(ctx, p)
	if err == nil && len(builds) == 0 {
		return nil, errInvalid("the configuration has no job for this branch or tag")
	}
	return builds, err
}

// checkBranch refuses a revision on a branch that does not exist.
func (s *Service) checkBranch(ctx context.Context, r forge.Repository, branch string) error {
	if branch == "" {
		return nil
	}
	_, err := s.forge.Head(ctx, r, "refs/heads/"+branch)
	if errors.Is(err, forge.ErrNotFound) {
		return errBranchNotFound()
	}
	return err
}

// changeBuild changes a job of a project under the project's lock.
func (s *Service) changeBuild(
	ctx context.Context, r forge.Repository, num int64,
	fn func(ctx context.Context, tx *database.Tx, b *build.Build) error,
) (b build.Build, err error) {
	err = s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) (err error) {
		if b, err = findBuild(ctx, tx, r, num); err != nil {
			return err
		}
		return fn(ctx, tx, &b)
	})
	return b, err
}

// Retry runs a job once more.
func (s *Service) Retry(
	ctx context.Context, r forge.Repository, num int64, actor forge.Actor, why build.Why, noCache bool,
) (build.Build, error) {
	return s.changeBuild(ctx, r, num, func(ctx context.Context, tx *database.Tx, b *build.Build) error {
		if b.Workflow.Approval || b.JobName == buildError {
			return errInvalid("job %s has nothing to run", refusal.Quote(b.JobName))
		}
		if err := s.checkForeign(ctx, tx, b); err != nil {
			return err
		}
		b.NoCache, b.OwnerID = b.NoCache || noCache, build.OwnerOf(actor, r)
		if err := s.runner.Admit(ctx, tx, b.OwnerID, r.ID, 1); err != nil {
			return err
		}
		again, err := s.runner.Retry(ctx, tx, b, why, actor)
		if err != nil {
			return err
		}
		*b = *again
		if actor.UserID() == 0 {
			return nil
		}
		return project.AutoFollow(ctx, tx, actor.ID, r.ID, s.now())
	})
}

// checkForeign refuses to run a job once more that is written for another system.
func (s *Service) checkForeign(ctx context.Context, q database.Querier, b *build.Build) error {
	p, err := build.PlanOf(ctx, q, b.ID)
	if err != nil {
		return err
	}
	if s.isForeign(&p.Job) {
		return errInvalid("job %s is written for %s, and this machine runs %s", refusal.Quote(b.JobName), p.Job.System,
			hostSystem())
	}
	return nil
}

// Cancel stops a job. One that has ended stays as it is.
func (s *Service) Cancel(ctx context.Context, r forge.Repository, num int64, actor forge.Actor) (build.Build, error) {
	return s.changeBuild(ctx, r, num, func(ctx context.Context, tx *database.Tx, b *build.Build) (err error) {
		*b, err = s.runner.Cancel(ctx, tx, b.ID, "", func(b *build.Build) { b.Canceler = actor })
		return err
	})
}

// Approve lets a workflow go on that waits for an approval.
func (s *Service) Approve(ctx context.Context, r forge.Repository, num int64, actor forge.Actor) (build.Build, error) {
	return s.changeBuild(ctx, r, num, func(ctx context.Context, tx *database.Tx, b *build.Build) (err error) {
		if !b.Workflow.Approval || b.State.Lifecycle != build.NotRunning {
			return errConflict("job %s does not wait for an approval", refusal.Quote(b.JobName))
		}
		for _, kind := range []build.EventKind{build.EventReady, build.EventStart} {
			if b.State, err = b.State.Apply(build.Event{Kind: kind}); err != nil {
				return err
			}
		}
		b.Actor, b.QueuedAt, b.StartTime = actor, s.now(), s.now()
		return s.runner.Finish(ctx, tx, b, build.Event{Kind: build.EventFinish, Outcome: build.Success}, "")
	})
}

// AddSSHUser notes that a user asked to enter a job.
func (s *Service) AddSSHUser(
	ctx context.Context, r forge.Repository, num int64, user forge.Actor,
) (build.Build, error) {
	return s.changeBuild(ctx, r, num, func(ctx context.Context, tx *database.Tx, b *build.Build) error {
		if slices.Contains(b.SSHUsers, user) {
			return nil
		}
		b.SSHUsers = append(b.SSHUsers, user)
		s.runner.Announce(tx, b)
		return build.UpdateSSHUsers(ctx, tx, b)
	})
}
