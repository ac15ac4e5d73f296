package contents

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
)

// Resolve finds the commit that a revision names: a branch, a tag, a commit's
// full or short name. ErrNotFound when there is none.
func (rd *Reader) Resolve(ctx context.Context, r Repository, revision string) (string, error) {
	if err := CheckRevision(revision); err != nil {
		return "", err
	}
	out, err := rd.output(ctx, r, "", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if git.IsRunError(err) {
		return "", refusal.NotFound("revision", revision)
	}
	return strings.TrimSpace(string(out)), err
}

// CheckRevision keeps options, ranges and the reflog's language out.
func CheckRevision(revision string) error {
	if revision == "" || len(revision) > 250 || revision[0] == '-' ||
		strings.ContainsAny(revision, "\x00\n\r :^~?*[\\@{}") || strings.Contains(revision, "..") {
		return refusal.NotFound("revision", strconv.Quote(revision))
	}
	return nil
}
