package events

import (
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/activity"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/releases"
)

// What a timeline shows.
const (
	maxEvents = 300
	maxAge    = 30 * 24 * time.Hour
	// maxFeedBytes ends it earlier where payloads are long: they are kept, and encoded, for each address of the server.
	maxFeedBytes = 6 << 20
)

// Event is something that happened.
type Event struct {
	ID        int64
	Type      Type
	Actor     forge.Actor
	RepoID    int64
	RepoName  string
	NetworkID int64
	// OrgID is zero for repositories of users.
	OrgID   int64
	OrgName string
	Public  bool
	// Payload is the contract's object or, for an event of the forge (Own), the
	// facts that the object is made of.
	Payload   json.RawMessage
	Own       bool
	CreatedAt time.Time
	// repository is where it happens, on events that are being recorded.
	repository forge.Repository
}

// Type is the contract's word for what happened.
type Type string

// The types that the forge, discussions and releases give rise to. The others are
// recorded by integrations.
const (
	TypeIssues        Type = discussions.TypeIssues
	TypeIssueComment  Type = discussions.TypeIssueComment
	TypePull          Type = discussions.TypePull
	TypeReview        Type = discussions.TypeReview
	TypeReviewComment Type = discussions.TypeReviewComment
	TypeCommitComment Type = discussions.TypeCommitComment
	TypeRelease       Type = releases.TypeRelease

	TypeCreate Type = activity.TypeCreate
	TypeDelete Type = activity.TypeDelete
	TypeFork   Type = activity.TypeFork
	TypeMember Type = activity.TypeMember
	TypePublic Type = activity.TypePublic
	TypePush   Type = activity.TypePush
	TypeWatch  Type = activity.TypeWatch
)

// feedKind is one of the feeds; those that end in All have private events too.
type feedKind uint8

const (
	feedPublic feedKind = iota
	feedNetwork
	feedOrg
	feedOrgAll
	feedRepo
	feedRepoAll
	feedUser
	feedUserAll
	feedReceived
	feedReceivedAll
)

// feed names one timeline. It is a key of the cache.
type feed struct {
	kind feedKind
	id   int64
	presentation
}

// presentation is what the encoding of an event depends on besides the event.
type presentation struct {
	version Version
	// base is what links begin with.
	base string
}
