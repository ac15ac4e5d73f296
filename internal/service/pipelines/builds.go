package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
)

// observe turns a push into a wish for jobs, in the transaction of the push.
// The wish is a row of the queue: reading the configuration takes git, and a
// transaction waits for nobody.
func (s *Service) observe(ctx context.Context, tx *database.Tx, a forge.Activity) error {
	switch a.Kind {
	case forge.RepositoryDeleted:
		return s.forgetProject(ctx, tx, a.Repository.ID)
	case forge.Pushed:
	case forge.RefCreated:
		// A new branch that brings commits is a push besides.
		if forge.RefType(a.Push.Ref) != "tag" && a.Push.DistinctSize > 0 {
			return nil
		}
	case forge.RepositoryCreated, forge.RepositoryRenamed, forge.MadePublic, forge.MadePrivate, forge.Forked, forge.Starred,
		forge.MemberAdded, forge.RefDeleted:
		return nil
	default:
		return nil
	}
	p := a.Push
	payload := pushPayload{
		RepoID: a.Repository.ID, Ref: p.Ref, Revision: p.After, Before: p.Before, Actor: a.Actor, Commits: p.Commits,
	}
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: pushKind, Payload: payload, Key: lane(a.Repository.ID), Owner: ownerKey(ownerOf(a.Actor, a.Repository)),
	})
	var full *limit.Exceeded
	if errors.As(err, &full) {
		return s.leaveOut(ctx, tx, a, full)
	}
	return err
}

// leaveOut makes a failed job of a push whose owner has too many that wait. Git
// has taken the push, and nobody reads an answer: the job says why.
func (s *Service) leaveOut(ctx context.Context, tx *database.Tx, a forge.Activity, full *limit.Exceeded) error {
	now := s.now()
	if err := ensureProject(ctx, tx, a.Repository.ID, now); err != nil {
		return err
	}
	row, err := projectByID(ctx, tx, a.Repository.ID)
	if err != nil || !row.enabled {
		return err
	}
	p := prepared{
		trigger: trigger{repo: a.Repository, actor: a.Actor, why: WhyPush, revision: a.Push.After, before: a.Push.Before},
		commit:  forge.Commit{SHA: a.Push.After},
		refusal: Failed,
		message: fmt.Sprintf("%d pushes of the account wait to be looked at, the most that may; push again when they are done.", full.Used),
	}
	if forge.RefType(a.Push.Ref) == "tag" {
		p.tag = forge.ShortRef(a.Push.Ref)
	} else {
		p.branch = forge.ShortRef(a.Push.Ref)
	}
	_, err = s.insertAll(ctx, tx, p, false)
	return err
}

// forgetProject ends what a deleted repository has under way, and its tokens.
func (s *Service) forgetProject(ctx context.Context, tx *database.Tx, repoID int64) error {
	open, err := openOf(ctx, tx, repoID)
	if err != nil {
		return err
	}
	for i := range open {
		if _, err := s.stopJob(ctx, tx, open[i].ID, "the repository was deleted", func(*Build) {}); err != nil {
			return err
		}
	}
	tokens, err := tokensOf(ctx, tx, repoID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if err := s.identity.RevokeTokenIn(ctx, tx, t.id); err != nil {
			return err
		}
	}
	return deleteProject(ctx, tx, repoID)
}

// pushed makes the jobs of a push, once: wish is the id of the row that asks for
// them, which may be run again after a crash.
func (s *Service) pushed(ctx context.Context, wish string, p pushPayload) error {
	r, err := s.forge.Repository(ctx, p.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	t := trigger{wish: wish, repo: r, actor: p.Actor, why: WhyPush, revision: p.Revision, before: p.Before, commits: p.Commits}
	if forge.RefType(p.Ref) == "tag" {
		t.tag = forge.ShortRef(p.Ref)
	} else {
		t.branch = forge.ShortRef(p.Ref)
	}
	prepared, err := s.prepare(ctx, t)
	var refused *Error
	if errors.As(err, &refused) {
		return nil // the commit is gone: somebody has pushed over it
	}
	if err != nil {
		return err
	}
	_, err = s.enter(ctx, prepared)
	return err
}

// Wish is what a caller sends to have jobs run.
type Wish struct {
	Branch, Tag, Revision string
	Job                   string
	Parallel              int64
	// Parameters become variables of the jobs, Pipeline values of the
	// parameters that the configuration declares.
	Parameters map[string]string
	Pipeline   map[string]any
	NoCache    bool
}

// maxParallel bounds how many nodes a caller may ask for.
const maxParallel = 64

// Trigger runs the jobs of a revision and returns them.
func (s *Service) Trigger(ctx context.Context, r forge.Repository, w Wish, actor forge.Actor, why Why) ([]Build, error) {
	if w.Parallel < 0 || w.Parallel > maxParallel {
		return nil, errInvalid("parallel must be 1 to 64")
	}
	for _, word := range s.words.jobParameters {
		if w.Job == "" {
			w.Job = w.Parameters[word]
		}
	}
	if w.Branch == "" && w.Tag == "" {
		w.Branch = r.DefaultBranch
	}
	t := trigger{
		repo: r, actor: actor, why: why, branch: w.Branch, tag: w.Tag, revision: w.Revision, only: w.Job,
		parallel: w.Parallel, parameters: w.Parameters, pipeline: w.Pipeline, noCache: w.NoCache,
	}
	if t.tag != "" {
		t.branch = ""
	}
	if err := s.knownBranch(ctx, t); err != nil {
		return nil, err
	}
	p, err := s.prepare(ctx, t)
	if err != nil {
		return nil, err
	}
	builds, err := s.enter(ctx, p)
	if err == nil && len(builds) == 0 {
		return nil, errInvalid("the configuration has no job for this branch or tag")
	}
	return builds, err
}

// knownBranch refuses a revision on a branch that does not exist.
func (s *Service) knownBranch(ctx context.Context, t trigger) error {
	if t.branch == "" {
		return nil
	}
	_, err := s.forge.Head(ctx, t.repo, "refs/heads/"+t.branch)
	if errors.Is(err, forge.ErrNotFound) {
		return errNotFound("Branch")
	}
	return err
}

// Retry runs a job once more.
func (s *Service) Retry(ctx context.Context, r forge.Repository, num int64, actor forge.Actor, why Why, noCache bool) (Build, error) {
	var again Build
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		old, err := s.build(ctx, tx, r, num)
		if err != nil {
			return err
		}
		if old.Workflow.Approval || old.JobName == buildError {
			return errInvalid("job " + clip(old.JobName) + " has nothing to run")
		}
		old.NoCache, old.OwnerID = old.NoCache || noCache, ownerOf(actor, r)
		if err := s.roomFor(ctx, tx, old.OwnerID, r.ID, 1); err != nil {
			return err
		}
		repeated, err := s.repeat(ctx, tx, &old, why, actor, false)
		if err != nil {
			return err
		}
		again = *repeated
		if actor.ID != 0 {
			if err := autoFollow(ctx, tx, actor.ID, r.ID, s.now()); err != nil {
				return err
			}
		}
		return updateRetries(ctx, tx, old)
	})
	return again, err
}

// Cancel stops a job. One that has ended stays as it is.
func (s *Service) Cancel(ctx context.Context, r forge.Repository, num int64, actor forge.Actor) (Build, error) {
	var b Build
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if b, err = s.build(ctx, tx, r, num); err != nil {
			return err
		}
		b, err = s.stopJob(ctx, tx, b.ID, "", func(b *Build) { b.Canceler = actor })
		return err
	})
	return b, err
}

// Approve lets a workflow go on that waits for a person.
func (s *Service) Approve(ctx context.Context, r forge.Repository, num int64, actor forge.Actor) (Build, error) {
	var b Build
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if b, err = s.build(ctx, tx, r, num); err != nil {
			return err
		}
		if !b.Workflow.Approval || b.State.Lifecycle != NotRunning {
			return errConflict("job " + clip(b.JobName) + " does not wait for an approval")
		}
		for _, kind := range []EventKind{EventReady, EventStart} {
			if b.State, err = b.State.Apply(Event{Kind: kind}); err != nil {
				return err
			}
		}
		b.Actor, b.QueuedAt, b.StartTime = actor, s.now(), s.now()
		return s.finish(ctx, tx, &b, Event{Kind: EventFinish, Outcome: Success}, "")
	})
	return b, err
}

// AddSSHUser lets a person into a job.
func (s *Service) AddSSHUser(ctx context.Context, r forge.Repository, num int64, user forge.Actor) (Build, error) {
	var b Build
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if b, err = s.build(ctx, tx, r, num); err != nil {
			return err
		}
		if slices.Contains(b.SSHUsers, user) {
			return nil
		}
		b.SSHUsers = append(b.SSHUsers, user)
		s.announce(tx, &b)
		return updateSSHUsers(ctx, tx, &b)
	})
	return b, err
}

// build finds a job of a project.
func (s *Service) build(ctx context.Context, q database.Querier, r forge.Repository, num int64) (Build, error) {
	b, err := buildByNum(ctx, q, r.ID, num)
	if errors.Is(err, database.ErrNotFound) {
		return b, errBuild()
	}
	return b, err
}

// Build finds a job of a project.
func (s *Service) Build(ctx context.Context, r forge.Repository, num int64) (Build, error) {
	return s.build(ctx, s.world.DB, r, num)
}

// Latest is the newest job that a filter admits.
func (s *Service) Latest(ctx context.Context, r forge.Repository, branch, job string, f Filter) (Build, error) {
	b, err := latestOf(ctx, s.world.DB, r.ID, branch, job, f)
	if errors.Is(err, database.ErrNotFound) {
		return b, errBuild()
	}
	return b, err
}

// Follow makes a person follow a project, and builds it when it never was.
func (s *Service) Follow(ctx context.Context, r forge.Repository, user forge.Actor, following bool) (first *Build, err error) {
	fresh := false
	err = s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		now := s.now()
		if err := ensureProject(ctx, tx, r.ID, now); err != nil {
			return err
		}
		p, err := projectByID(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		fresh = p.lastNum == 0
		return setFollow(ctx, tx, user.ID, r.ID, following, now)
	})
	if err != nil || !following || !fresh {
		return nil, err
	}
	builds, err := s.Trigger(ctx, r, Wish{}, user, WhyFirst)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == CodeBusy {
		return nil, err
	}
	if errors.As(err, &refused) || len(builds) == 0 {
		return nil, nil // an empty repository has nothing to build yet
	}
	return &builds[0], err
}

// Enable turns a project on or off. Pushes to one that is off make no jobs.
func (s *Service) Enable(ctx context.Context, r forge.Repository, enabled bool) error {
	return s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		if err := ensureProject(ctx, tx, r.ID, s.now()); err != nil {
			return err
		}
		p, err := projectByID(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		p.enabled = enabled
		return updateProject(ctx, tx, p)
	})
}

// cleanBranch is the branch of a path, whose slashes may be encoded or not.
func cleanBranch(name string) string { return strings.Trim(name, "/") }
