package pipelines

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

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
