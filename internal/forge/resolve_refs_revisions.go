package forge

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/platform/database"
)

// Refs lists the branches and tags by name, as far as their names can be on record.
func (f *Forge) Refs(ctx context.Context, r Repository) ([]Ref, error) {
	out, err := f.output(ctx, r, "", "for-each-ref", "--format=%(objectname) %(refname)", heads, tags)
	if err != nil {
		return nil, err
	}
	refs := []Ref{}
	for line := range strings.Lines(string(out)) {
		if sha, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && git.ValidRefName(name) {
			refs = append(refs, Ref{Name: name, SHA: sha})
		}
	}
	return refs, nil
}

// Resolve finds the commit that a revision names: a branch, a tag, a commit's
// full or short name. ErrNotFound when there is none.
func (f *Forge) Resolve(ctx context.Context, r Repository, revision string) (string, error) {
	if err := checkRevision(revision); err != nil {
		return "", err
	}
	out, err := f.output(ctx, r, "", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if git.IsRunError(err) {
		return "", errNotFound("revision", revision)
	}
	return strings.TrimSpace(string(out)), err
}

// Head is the commit or tag that a branch or tag names, in full
// (refs/heads/main), as the last push left it. It asks the record, not git.
func (f *Forge) Head(ctx context.Context, r Repository, ref string) (string, error) {
	sha, err := recordedRef(ctx, f.world.DB, r.ID, ref)
	if errors.Is(err, database.ErrNotFound) {
		return "", errNotFound(RefType(ref), ShortRef(ref))
	}
	return sha, err
}

// checkRevision keeps options, ranges and the reflog's language out.
func checkRevision(revision string) error {
	if revision == "" || len(revision) > 250 || revision[0] == '-' ||
		strings.ContainsAny(revision, "\x00\n\r :^~?*[\\@{}") || strings.Contains(revision, "..") {
		return errNotFound("revision", strconv.Quote(revision))
	}
	return nil
}
