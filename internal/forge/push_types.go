package forge

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
)

// Ref is a branch or tag and the object it names.
type Ref struct {
	// Name is in full: refs/heads/main.
	Name string
	SHA  string
}

// Zero is the object name of nothing.
const Zero = git.Zero

const (
	heads = "refs/heads/"
	tags  = "refs/tags/"
)

// RefType is branch or tag.
func RefType(ref string) string {
	if strings.HasPrefix(ref, tags) {
		return "tag"
	}
	return "branch"
}

// ShortRef is the name without refs/heads/ or refs/tags/.
func ShortRef(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, heads), tags)
}

// Signature is an author or committer as a commit names them.
type Signature = gitoutput.Signature

// Commit is one commit.
type Commit = gitoutput.Commit

// Push is one changed ref.
type Push struct {
	ID           int64
	RepositoryID int64
	Ref          string
	// Before and After are Zero for a created and a deleted ref.
	Before, After string
	// Forced pushes left commits behind.
	Forced bool
	// Size counts the commits between Before and After, DistinctSize those of
	// them that were in no other ref before.
	Size, DistinctSize int64
	// Commits are the newest of them, at most MaxCommits, oldest first.
	Commits []Commit
	Actor   Actor
	At      time.Time
}

// MaxCommits is how many commits of one push are kept.
const MaxCommits = 20

// Created reports whether the ref was not there before.
func (p Push) Created() bool { return p.Before == Zero }

// Deleted reports whether the ref is gone.
func (p Push) Deleted() bool { return p.After == Zero }
