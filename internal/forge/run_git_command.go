package forge

import (
	"context"

	"stoa.dev/stoa/internal/forge/refusal"
)

// output runs a git program on a repository and returns what it printed.
func (f *Forge) output(ctx context.Context, r Repository, stdin string, args ...string) ([]byte, error) {
	out, err := f.git.Output(ctx, r.Git(), stdin, args...)
	return out, refusal.FromGit(err)
}

// runLong runs a git program that takes its time, in the git folder dir, or none.
func (f *Forge) runLong(ctx context.Context, r Repository, dir string, args ...string) error {
	return refusal.FromGit(f.git.RunLong(ctx, r.Git(), dir, args...))
}
