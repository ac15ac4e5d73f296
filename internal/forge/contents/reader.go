package contents

import (
	"context"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
)

// Repository is what is read.
type Repository interface {
	// Git is the repository for the git program.
	Git() git.Repo
	// FullName is OWNER/NAME.
	FullName() string
	// DefaultRef is the branch that HEAD names, in full.
	DefaultRef() string
}

// Reader reads repositories. It is safe for concurrent use.
type Reader struct{ git *git.Runner }

// New makes a reader that runs git.
func New(runner *git.Runner) *Reader { return &Reader{git: runner} }

// Signature is an author or committer as a commit names them.
type Signature = gitoutput.Signature

// Commit is one commit.
type Commit = gitoutput.Commit

// output runs a git program on a repository and returns what it printed.
func (rd *Reader) output(ctx context.Context, r Repository, stdin string, args ...string) ([]byte, error) {
	out, err := rd.git.Output(ctx, r.Git(), stdin, args...)
	return out, refusal.FromGit(err)
}
