package forge

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
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

// Git is the repository for the git program. Programs that no client waits for use
// the share of its owner.
func (r Repository) Git() git.Repo { return git.Repo{Folder: r.folder, Owner: budgetOwner(r.Owner)} }

func budgetOwner(o Owner) budget.Owner {
	return budget.Caller(string(o.Kind) + ":" + strconv.FormatInt(o.ID, 10))
}

// DefaultRef is the branch that HEAD names, in full.
func (r Repository) DefaultRef() string { return heads + r.DefaultBranch }

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
	return None, refusal.Invalid("permission %q is not one of read, write, admin", text)
}

// Actor is who did something: a user, or an application, whose ID is above BotIDs.
type Actor struct {
	ID   int64
	Name string
}

// BotIDs is below the numbers of the accounts of applications, and above those of users.
// A few of them belong to kinds of tokens.
const BotIDs, tokenBots = 1_000_000_000, 100

// BotID is the number of an application's account.
func BotID(app int64) int64 { return BotIDs + tokenBots + app }

// UserID is the user who did it, zero for an application.
func (a Actor) UserID() int64 {
	if a.ID > BotIDs {
		return 0
	}
	return a.ID
}
