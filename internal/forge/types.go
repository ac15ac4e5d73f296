package forge

import (
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/platform/budget"
)

// OwnerKind is user or org.
type OwnerKind string

// The kinds of owners.
const (
	OwnerUser OwnerKind = "user"
	OwnerOrg  OwnerKind = "org"
)

// Owner is whom a repository belongs to.
type Owner struct {
	Kind OwnerKind
	ID   int64
	Name string
}

// Repository is one repository, without its content.
type Repository struct {
	ID    int64
	Owner Owner
	Name  string
	// Private repositories exist only for those who may read them.
	Private     bool
	Description string
	// DefaultBranch is the short name of the branch that HEAD names.
	DefaultBranch string
	// NetworkID is the root of the network of forks, itself for a root.
	NetworkID int64
	// ParentID is what a fork was made of, zero for a root.
	ParentID  int64
	CreatedAt time.Time
	UpdatedAt time.Time
	// PushedAt is zero before the first push.
	PushedAt time.Time

	folder string
}

// git is the repository for the git program. Programs that no client waits for use
// the share of its owner.
func (r Repository) git() git.Repo { return git.Repo{Folder: r.folder, Owner: budgetOwner(r.Owner)} }

func budgetOwner(o Owner) budget.Owner {
	return budget.Caller(string(o.Kind) + ":" + strconv.FormatInt(o.ID, 10))
}

// FullName is OWNER/NAME.
func (r Repository) FullName() string { return r.Owner.Name + "/" + r.Name }

// Permission is what a user may do with a repository; each includes those before
// it.
type Permission int

// The permissions.
const (
	None Permission = iota
	Read
	Write
	Admin
)

// String is the word that commands and the store use.
func (p Permission) String() string {
	switch p {
	case Read:
		return "read"
	case Write:
		return "write"
	case Admin:
		return "admin"
	case None:
	}
	return "none"
}

// ParsePermission reads the word of a permission that can be granted.
func ParsePermission(text string) (Permission, error) {
	for _, p := range []Permission{Read, Write, Admin} {
		if p.String() == text {
			return p, nil
		}
	}
	return None, errInvalid("permission %q is not one of read, write, admin", text)
}

// Actor is who did something. The ID is zero for applications.
type Actor struct {
	ID   int64
	Name string
}

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

// ActivityKind is what happened.
type ActivityKind string

// The activities.
const (
	RepositoryCreated ActivityKind = "repository_created"
	RepositoryRenamed ActivityKind = "repository_renamed"
	RepositoryDeleted ActivityKind = "repository_deleted"
	MadePublic        ActivityKind = "made_public"
	MadePrivate       ActivityKind = "made_private"
	Forked            ActivityKind = "forked"
	Starred           ActivityKind = "starred"
	MemberAdded       ActivityKind = "member_added"
	RefCreated        ActivityKind = "ref_created"
	RefDeleted        ActivityKind = "ref_deleted"
	Pushed            ActivityKind = "pushed"
)

// Activity is something that happened to a repository. Observers get it in
// the transaction that made it happen.
type Activity struct {
	Kind ActivityKind
	// Repository is as it is after the change, or was before its deletion.
	Repository Repository
	Actor      Actor
	At         time.Time
	// Push is set for RefCreated, RefDeleted and Pushed.
	Push *Push
	// Fork is the new repository of Forked; Repository is what it was made of.
	Fork *Repository
	// Member and Permission are set for MemberAdded.
	Member     Actor
	Permission Permission
}
