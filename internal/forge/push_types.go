package forge

import (
	"time"

	"stoa.dev/stoa/internal/forge/git"
)

// Zero is the object name of nothing.
const Zero = git.Zero

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
