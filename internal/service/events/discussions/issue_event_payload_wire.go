package discussions

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
)

type payloadJSON struct {
	Action      string         `json:"action"`
	Number      int64          `json:"number,omitempty"`
	Issue       *issueJSON     `json:"issue,omitempty"`
	PullRequest *minimalPull   `json:"pull_request,omitempty"`
	Review      *reviewJSON    `json:"review,omitempty"`
	Comment     any            `json:"comment,omitempty"`
	Assignee    *objects.User  `json:"assignee,omitempty"`
	Assignees   []objects.User `json:"assignees,omitempty"`
	Label       *labelJSON     `json:"label,omitempty"`
	Labels      []labelJSON    `json:"labels,omitempty"`
}

// minimalPull is what an event tells of a pull request.
type minimalPull struct {
	ID     int64         `json:"id"`
	Number int64         `json:"number"`
	URL    string        `json:"url"`
	Head   minimalBranch `json:"head"`
	Base   minimalBranch `json:"base"`
}

type minimalBranch struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo minimalRepo `json:"repo"`
}

type minimalRepo struct {
	ID   int64  `json:"id"`
	URL  string `json:"url"`
	Name string `json:"name"`
}

// Place is where an event happened, and how the caller wants it.
type Place struct {
	Base, Repo string
	RepoID     int64
	Later      bool
}

// Payload is the contract's object for the facts of one of our events.
func Payload(kind string, raw json.RawMessage, at Place) (json.RawMessage, error) {
	var f facts
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	v := view{base: at.Base, repo: at.Repo, repoID: at.RepoID, later: at.Later}
	out := payloadJSON{Action: f.Action}
	switch kind {
	case TypeIssues:
		v.addIssue(&out, f)
		v.addMarks(&out, f)
	case TypePull:
		out.Number, out.PullRequest = f.Issue.Number, v.minimalPull(*f.Issue)
		v.addMarks(&out, f)
	case TypeIssueComment:
		v.addIssue(&out, f)
		out.Comment = v.comment(*f.Comment)
	case TypeReview:
		review := v.review(*f.Review)
		out.Review, out.PullRequest = &review, v.minimalPull(*f.Issue)
	case TypeReviewComment:
		out.Comment, out.PullRequest = v.lineComment(*f.Comment), v.minimalPull(*f.Issue)
	case TypeCommitComment:
		out.Comment = v.commitComment(*f.Comment)
	}
	return wire.EncodeJSON(out)
}

func (v view) addIssue(out *payloadJSON, f facts) {
	issue := v.issue(*f.Issue, f.Labels)
	out.Issue = &issue
}

// addMarks names the label or the user that an event is about.
func (v view) addMarks(out *payloadJSON, f facts) {
	if f.Label != nil {
		label := v.label(*f.Label)
		out.Label, out.Labels = &label, v.labels(f.Labels)
	}
	if f.Assignee != nil {
		user := actorUser(*f.Assignee, v.base)
		out.Assignee, out.Assignees = &user, v.assigned(f.Issue.Assignees).Assignees
	}
}

func (v view) minimalPull(i Issue) *minimalPull {
	_, name, _ := strings.Cut(v.repo, "/")
	repo := minimalRepo{ID: v.repoID, URL: v.url(), Name: name}
	p := i.Pull
	return &minimalPull{
		ID: i.ID, Number: i.Number, URL: v.url() + "/pulls/" + decimal(i.Number),
		Head: minimalBranch{p.HeadRef, p.HeadSHA, repo}, Base: minimalBranch{p.BaseRef, p.BaseSHA, repo},
	}
}
