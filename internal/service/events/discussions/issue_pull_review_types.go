package discussions

import (
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// The scopes of tokens. Who may write may read.
const (
	ScopeIssuesRead  = "issues:read"
	ScopeIssuesWrite = "issues:write"
	ScopePullsRead   = "pull_requests:read"
	ScopePullsWrite  = "pull_requests:write"
)

// What a repository may hold, and how long texts are.
const (
	maxTitle       = 256
	maxText        = 65536
	maxIssues      = 100_000
	maxComments    = 2500 // of one issue, pull request or commit
	maxReviews     = 1000
	maxLabels      = 1000
	maxIssueLabels = 100
	maxAssignees   = 10
	maxLabelName   = 50
	maxLabelText   = 100
)

// State is open or closed.
type State string

// The states.
const (
	Open   State = "open"
	Closed State = "closed"
)

// Issue is an issue, or a pull request when Pull is set.
type Issue struct {
	ID, RepoID, Number int64
	Title, Body        string
	State              State
	// Reason says why it is in its state: completed, not_planned, reopened or nothing.
	Reason      string
	Author      forge.Actor
	Association string
	// Labels are names.
	Labels    []string
	Assignees []forge.Actor
	Comments  int64
	CreatedAt time.Time
	UpdatedAt time.Time
	ClosedAt  *time.Time
	ClosedBy  *forge.Actor
	Pull      *Pull
}

// Pull is what a pull request has beside an issue.
type Pull struct {
	// BaseRef takes the commits of HeadRef; both are short names.
	BaseRef, HeadRef string
	// BaseSHA and HeadSHA are the commits as last looked up.
	BaseSHA, HeadSHA string
	Draft            bool
	MergedAt         *time.Time
	MergedBy         *forge.Actor
	// MergeSHA is the commit that the merge made.
	MergeSHA string
	// ReviewComments counts comments on lines.
	ReviewComments int64
}

// Label is a word that issues are sorted by.
type Label struct {
	ID          int64
	Name        string
	Color       string
	Description string
}

// commentKind is what a comment is about.
type commentKind string

const (
	onIssue  commentKind = "issue"
	onReview commentKind = "review"
	onCommit commentKind = "commit"
)

// Comment is a remark on an issue, on lines of a pull request or on a commit.
type Comment struct {
	ID, RepoID int64
	Kind       commentKind
	// Number is the issue or pull request.
	Number      int64
	Body        string
	Author      forge.Actor
	Association string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	// CommitID, Path, Line, Position and Hunk say what lines it is about.
	CommitID string
	Path     string
	Line     int64
	Side     string
	Position int64
	Hunk     string
	ReviewID int64
	ReplyTo  int64
}

// Review is a judgement of a pull request.
type Review struct {
	ID, RepoID, Number int64
	// State is APPROVED, CHANGES_REQUESTED, COMMENTED or DISMISSED.
	State       string
	Body        string
	Author      forge.Actor
	Association string
	CommitID    string
	SubmittedAt time.Time
}

// checkText bounds a text; field is the member that it was sent in.
func checkText(field, text string, limit int) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit {
		return refusal.Invalid(field, "%s must be text of at most %d characters", field, limit)
	}
	return nil
}

// associationOf is how an author stands to a repository.
func associationOf(r forge.Repository, author forge.Actor, may forge.Permission) string {
	switch {
	case r.Owner.Kind == forge.OwnerUser && author.ID != 0 && r.Owner.ID == author.ID:
		return "OWNER"
	case r.Owner.Kind == forge.OwnerOrg && may == forge.Admin:
		return "MEMBER"
	case may >= forge.Write:
		return "COLLABORATOR"
	}
	return "NONE"
}
