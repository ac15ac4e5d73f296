package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
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

// maxLateOwners is how many owners one sweep looks after.
const maxLateOwners = 1000

// enqueuePush puts a push on the queue of its owner. Where that is full, git has taken the push all the same: the
// newest of the branch or tag is kept beside the queue, in the place of the one before it, and enters the queue later.
// So what is stored is bounded by the branches and tags that there are, and the newest commit of each is built.
func (s *Service) enqueuePush(ctx context.Context, tx *database.Tx, r forge.Repository, p pushPayload) error {
	replaced, err := project.TakeLatePush(ctx, tx, r.ID, p.Ref)
	if err != nil {
		return err
	}
	for _, one := range replaced {
		var old pushPayload
		if err := json.Unmarshal([]byte(one.Payload), &old); err != nil {
			return fmt.Errorf("late push to %s: %w", one.Ref, err)
		}
		p.Before, p.Replaced = old.Before, old.Replaced+1
	}
	owner := build.OwnerOf(p.Actor, r)
	err = s.enqueuePushOf(ctx, tx, owner, p, false)
	var full *limit.Exceeded
	if !errors.As(err, &full) {
		return err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return project.InsertLatePush(ctx, tx, project.LatePush{
		RepoID: r.ID, Ref: p.Ref, Owner: owner, Payload: string(text),
	})
}

// enqueuePushOf puts a push on the queue of an owner; with follows in the place of one that is being looked at.
func (s *Service) enqueuePushOf(ctx context.Context, tx *database.Tx, owner int64, p pushPayload, follows bool) error {
	p.Owner = owner
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: pushKind, Key: project.Lane(p.RepoID), Owner: build.OwnerKey(owner), Payload: p, Follows: follows,
	})
	return err
}

// runPush makes the jobs of a push, after which the oldest late push of the owner takes its place on the queue.
func (s *Service) runPush(ctx context.Context, request string, p pushPayload) error {
	if err := s.pushed(ctx, request, p); err != nil {
		return err
	}
	// Mostly there is none, and a transaction to find that out would cost every push a commit.
	late, err := project.HasLatePush(ctx, s.world.DB, p.Owner)
	if err == nil && late {
		_, err = s.enqueueLate(ctx, p.Owner, true)
	}
	return err
}

// enqueueLate moves the oldest late push of an owner to the queue and reports whether there was one. It goes behind all
// earlier pushes of its branch, which are on the queue already, because jobs of one project run in order.
func (s *Service) enqueueLate(ctx context.Context, owner int64, follows bool) (moved bool, err error) {
	err = s.world.DB.WriteKeyed(ctx, build.OwnerKey(owner), func(ctx context.Context, tx *database.Tx) error {
		late, err := project.TakeOldestLatePush(ctx, tx, owner)
		moved = len(late) > 0
		for _, one := range late {
			var p pushPayload
			if err := json.Unmarshal([]byte(one.Payload), &p); err != nil {
				return fmt.Errorf("late push to %s: %w", one.Ref, err)
			}
			if err := s.enqueuePushOf(ctx, tx, owner, p, follows); err != nil {
				return err
			}
		}
		return err
	})
	return moved, err
}

// enqueueAllLate moves late pushes to queues that are not full although no job has ended that would have moved them: an
// operator discarded the jobs, or they failed for good.
func (s *Service) enqueueAllLate(ctx context.Context) error {
	owners, err := project.LatePushOwners(ctx, s.world.DB, maxLateOwners)
	for _, owner := range owners {
		var full *limit.Exceeded
		for moved := true; moved && err == nil; {
			moved, err = s.enqueueLate(ctx, owner, false)
		}
		if errors.As(err, &full) {
			err = nil // those on the queue are followed by these when they end
		}
		if err != nil {
			return err
		}
	}
	return err
}

// replacedNote says that a push stands for others that were not looked at.
func replacedNote(n int64, ref string) build.Message {
	return build.Message{Type: "warning", Message: fmt.Sprintf("%d earlier pushes to %s were not looked at: "+
		"%d pushes of the account waited, the most that may. The newest takes their place.", n, ref, maxPushes)}
}
