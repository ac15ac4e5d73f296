package discussions

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// The types of events that discussions give rise to.
const (
	TypeIssues        = "IssuesEvent"
	TypeIssueComment  = "IssueCommentEvent"
	TypePull          = "PullRequestEvent"
	TypeReview        = "PullRequestReviewEvent"
	TypeReviewComment = "PullRequestReviewCommentEvent"
	TypeCommitComment = "CommitCommentEvent"
)

// Discussions are those of all repositories.
type Discussions struct{ host operation.Host }

// New makes the discussions of a host.
func New(host operation.Host) *Discussions { return &Discussions{host: host} }

// write runs a change of a subject, whose repository is brought up to date; those of one repository exclude each other.
func (d *Discussions) write(ctx context.Context, s *operation.Subject, fn database.TxFunc) error {
	return d.host.WriteBeside(ctx, "events/discussions", s, fn)
}

// facts are what the payload of an event is made of.
type facts struct {
	Action   string
	Issue    *Issue       `json:",omitempty"`
	Labels   []Label      `json:",omitempty"`
	Label    *Label       `json:",omitempty"`
	Assignee *forge.Actor `json:",omitempty"`
	Comment  *Comment     `json:",omitempty"`
	Review   *Review      `json:",omitempty"`
}

// tell records an event.
func (d *Discussions) tell(ctx context.Context, tx *database.Tx, s operation.Subject, kind string, f facts) error {
	return d.host.Record(ctx, tx, operation.Event{
		Type: kind, Repository: s.Repo, Actor: s.Actor, Facts: f, At: d.host.Now(),
	})
}

// tellIssue records an event about an issue or a pull request.
func (d *Discussions) tellIssue(ctx context.Context, tx *database.Tx, s operation.Subject, f facts) error {
	all, err := labelsOf(ctx, tx, s.Repo.ID)
	if err != nil {
		return err
	}
	f.Labels = chosen(all, f.Issue.Labels)
	kind := TypeIssues
	if f.Issue.Pull != nil {
		kind = TypePull
	}
	return d.tell(ctx, tx, s, kind, f)
}

// found turns the store's word for nothing into a refusal.
func found(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return refusal.NotFound()
	}
	return err
}
