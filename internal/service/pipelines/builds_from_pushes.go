package pipelines

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// observe puts a push on the queue, in the transaction of the push: reading the configuration takes git, and a
// transaction must not wait for that.
func (s *Service) observe(ctx context.Context, tx *database.Tx, a forge.Activity) error {
	switch a.Kind {
	case forge.RepositoryDeleted:
		return s.forgetProject(ctx, tx, a.Repository.ID)
	case forge.Pushed:
	case forge.RefCreated:
		// A new branch that brings commits is a push in addition.
		if forge.RefType(a.Push.Ref) != "tag" && a.Push.DistinctSize > 0 {
			return nil
		}
	case forge.RepositoryCreated, forge.RepositoryRenamed, forge.MadePublic, forge.MadePrivate, forge.Forked,
		forge.Starred, forge.MemberAdded:
		return nil
	case forge.RefDeleted:
		if _, err := project.TakeLatePush(ctx, tx, a.Repository.ID, a.Push.Ref); err != nil {
			return err
		}
		if forge.RefType(a.Push.Ref) == "tag" {
			return nil
		}
		return project.DeleteSchedules(ctx, tx, a.Repository.ID, forge.ShortRef(a.Push.Ref))
	default:
		return nil
	}
	p := a.Push
	return s.enqueuePush(ctx, tx, a.Repository, pushPayload{
		RepoID: a.Repository.ID, Ref: p.Ref, Revision: p.After, Before: p.Before, Actor: a.Actor, Commits: p.Commits,
	})
}

// pushTrigger is the trigger of a changed branch or tag.
func pushTrigger(r forge.Repository, actor forge.Actor, ref, revision, before string) trigger {
	t := trigger{repo: r, actor: actor, why: build.WhyPush, before: before}
	t.Revision = revision
	if forge.RefType(ref) == "tag" {
		t.Tag = forge.ShortRef(ref)
	} else {
		t.Branch = forge.ShortRef(ref)
	}
	return t
}

// forgetProject ends the unfinished jobs of a deleted repository and deletes what is known of it.
func (s *Service) forgetProject(ctx context.Context, tx *database.Tx, repoID int64) error {
	open, err := build.Open(ctx, tx, repoID)
	if err != nil {
		return err
	}
	for i := range open {
		_, err := s.runner.Cancel(ctx, tx, open[i].ID, "the repository was deleted", func(*build.Build) {})
		if err != nil {
			return err
		}
	}
	return s.projects.Forget(ctx, tx, repoID)
}

// pushed makes the jobs of a push, once: request is the id of the row that asks for them, which may be run again after
// a crash.
func (s *Service) pushed(ctx context.Context, request string, p pushPayload) error {
	r, err := s.forge.Repository(ctx, p.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	t := pushTrigger(r, p.Actor, p.Ref, p.Revision, p.Before)
	t.request, t.commits = request, p.Commits
	plan, err := s.plan(ctx, t)
	if refusal.Has(err) {
		return nil // the commit is gone: a later push has replaced it
	}
	if err != nil {
		return err
	}
	if p.Replaced > 0 {
		plan.notes = append(plan.notes, replacedNote(p.Replaced, forge.ShortRef(p.Ref)))
	}
	_, err = s.makeBuilds(ctx, plan)
	return err
}
