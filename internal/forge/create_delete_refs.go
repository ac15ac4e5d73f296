package forge

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge/contents"
	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/platform/database"
)

// Head is the commit or tag that a branch or tag names, in full
// (refs/heads/main), as the last push left it. It asks the record, not git.
func (f *Forge) Head(ctx context.Context, r Repository, ref string) (string, error) {
	sha, err := recordedRef(ctx, f.world.DB, r.ID, ref)
	if errors.Is(err, database.ErrNotFound) {
		return "", refusal.NotFound(RefType(ref), ShortRef(ref))
	}
	return sha, err
}

// CreateRef gives a commit a new branch or tag, named in full, and records it as a push
// of the actor. ErrInvalid when the name is bad or there is such a ref.
func (f *Forge) CreateRef(ctx context.Context, r Repository, name, revision string, actor Actor) error {
	branchOrTag := strings.HasPrefix(name, heads) || strings.HasPrefix(name, tags)
	if !branchOrTag || !git.ValidRefName(name) || contents.CheckRevision(name) != nil {
		return refusal.Field("ref", "%q is not a name for a branch or tag", ShortRef(name))
	}
	_, err := f.Receive(ctx, r, actor, func(ctx context.Context) error {
		// Refs are made one after the other here, so that the bound is exact.
		have, err := countRefs(ctx, f.world.DB, r.ID)
		if err != nil {
			return err
		}
		if limit := int64(refsTimes * f.config.MaxRefs); have >= limit {
			return refusal.TooLarge("a repository may have at most %d branches and tags", limit)
		}
		sha, err := f.Resolve(ctx, r, revision)
		if err != nil {
			return err
		}
		_, err = f.output(ctx, r, "", "update-ref", name, sha, Zero)
		if git.IsRunError(err) {
			return &Error{Code: CodeInvalid, Field: "ref", Message: "the branch or tag cannot be made", Cause: err}
		}
		return err
	})
	return err
}

// DeleteRef takes away a branch or tag, named in full, as a push of the actor. The default branch stays.
func (f *Forge) DeleteRef(ctx context.Context, r Repository, name string, actor Actor) error {
	if name == heads+r.DefaultBranch {
		return refusal.Field("ref", "the default branch cannot be deleted")
	}
	if _, err := f.Head(ctx, r, name); err != nil {
		return err
	}
	_, err := f.Receive(ctx, r, actor, func(ctx context.Context) error {
		_, err := f.output(ctx, r, "", "update-ref", "-d", name)
		return err
	})
	return err
}
