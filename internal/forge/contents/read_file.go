package contents

import (
	"context"
	"path"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
)

// File reads one file as it was at a revision. ErrNotFound when there is no
// such file, ErrTooLarge when it has more than limit bytes.
func (rd *Reader) File(ctx context.Context, r Repository, revision, name string, limit int64) ([]byte, error) {
	sha, err := rd.Resolve(ctx, r, revision)
	if err != nil {
		return nil, err
	}
	if name == "" || strings.ContainsAny(name, "\x00\n") || path.Clean("/"+name) != "/"+name {
		return nil, refusal.NotFound("file", name)
	}
	object := sha + ":" + name
	size, err := rd.output(ctx, r, "", "cat-file", "-s", object)
	if git.IsRunError(err) {
		return nil, refusal.NotFound("file", name)
	}
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(size)), 10, 64); err != nil || n > min(limit, git.MaxOutput) {
		return nil, refusal.TooLarge("file %s is larger than it may be", name)
	}
	out, err := rd.output(ctx, r, "", "cat-file", "blob", object)
	if git.IsRunError(err) {
		return nil, refusal.NotFound("file", name)
	}
	return out, err
}
