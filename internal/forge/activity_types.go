package forge

import "time"

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
