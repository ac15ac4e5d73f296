package discussions

import (
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
)

// view is where links begin, and how the caller wants objects.
type view struct {
	base string
	// repo is OWNER/NAME.
	repo   string
	repoID int64
	// later leaves out what the version of 2026-03-10 no longer has.
	later bool
}

func viewOf(s operation.Subject) view {
	return view{base: s.Base, repo: s.Repo.FullName(), repoID: s.Repo.ID, later: s.Later}
}

func (v view) url() string { return v.base + "/repos/" + v.repo }

func (v view) page() string { return objects.Pages(v.base) + "/" + v.repo }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// actorUser is the object of the user or application that did something.
func actorUser(a forge.Actor, base string) objects.User { return objects.NewActor(a, base) }

func stamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := objects.Stamp(*t)
	return &text
}

type labelJSON struct {
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	URL         string  `json:"url"`
	Name        string  `json:"name"`
	Color       string  `json:"color"`
	Default     bool    `json:"default"`
	Description *string `json:"description"`
}

func (v view) label(l Label) labelJSON {
	return labelJSON{
		ID: l.ID, NodeID: objects.NodeID("Label", l.ID), URL: v.url() + "/labels/" + url.PathEscape(l.Name),
		Name: l.Name, Color: l.Color, Description: objects.OrNull(l.Description),
	}
}

func (v view) labels(list []Label) []labelJSON {
	out := make([]labelJSON, 0, len(list))
	for _, l := range list {
		out = append(out, v.label(l))
	}
	return out
}

// assigned are the members that name who works on an issue. The single one is gone
// from the later version; a pointer to nothing is null.
type assigned struct {
	Assignee  **objects.User `json:"assignee,omitempty"`
	Assignees []objects.User `json:"assignees"`
}

func (v view) assigned(list []forge.Actor) assigned {
	out := assigned{Assignees: []objects.User{}}
	var first *objects.User
	for _, a := range list {
		out.Assignees = append(out.Assignees, actorUser(a, v.base))
	}
	if len(out.Assignees) > 0 {
		first = &out.Assignees[0]
	}
	if !v.later {
		out.Assignee = &first
	}
	return out
}

type issuePullJSON struct {
	URL      string  `json:"url"`
	HTMLURL  string  `json:"html_url"`
	DiffURL  string  `json:"diff_url"`
	PatchURL string  `json:"patch_url"`
	MergedAt *string `json:"merged_at"`
}

type issueJSON struct {
	URL           string       `json:"url"`
	RepositoryURL string       `json:"repository_url"`
	LabelsURL     string       `json:"labels_url"`
	CommentsURL   string       `json:"comments_url"`
	EventsURL     string       `json:"events_url"`
	HTMLURL       string       `json:"html_url"`
	ID            int64        `json:"id"`
	NodeID        string       `json:"node_id"`
	Number        int64        `json:"number"`
	Title         string       `json:"title"`
	User          objects.User `json:"user"`
	Labels        []labelJSON  `json:"labels"`
	State         State        `json:"state"`
	Locked        bool         `json:"locked"`
	assigned
	Milestone         *struct{}      `json:"milestone"`
	Comments          int64          `json:"comments"`
	CreatedAt         string         `json:"created_at"`
	UpdatedAt         string         `json:"updated_at"`
	ClosedAt          *string        `json:"closed_at"`
	AuthorAssociation string         `json:"author_association"`
	ActiveLockReason  *string        `json:"active_lock_reason"`
	Draft             *bool          `json:"draft,omitempty"`
	PullRequest       *issuePullJSON `json:"pull_request,omitempty"`
	Body              *string        `json:"body"`
	ClosedBy          *objects.User  `json:"closed_by"`
	StateReason       *string        `json:"state_reason"`
}

// issue is the object of an issue, also of a pull request seen as one.
func (v view) issue(i Issue, labels []Label) issueJSON {
	at := v.url() + "/issues/" + decimal(i.Number)
	out := issueJSON{
		URL: at, RepositoryURL: v.url(), LabelsURL: at + "/labels{/name}", CommentsURL: at + "/comments",
		EventsURL: at + "/events", HTMLURL: v.page() + "/issues/" + decimal(i.Number),
		ID: i.ID, NodeID: objects.NodeID("Issue", i.ID), Number: i.Number, Title: i.Title,
		User: actorUser(i.Author, v.base), Labels: v.labels(labels), State: i.State, assigned: v.assigned(i.Assignees),
		Comments: i.Comments, CreatedAt: objects.Stamp(i.CreatedAt), UpdatedAt: objects.Stamp(i.UpdatedAt),
		ClosedAt: stamp(i.ClosedAt), AuthorAssociation: i.Association, Body: objects.OrNull(i.Body),
		StateReason: objects.OrNull(i.Reason),
	}
	if i.ClosedBy != nil {
		by := actorUser(*i.ClosedBy, v.base)
		out.ClosedBy = &by
	}
	if p := i.Pull; p != nil {
		pull := v.url() + "/pulls/" + decimal(i.Number)
		out.HTMLURL = v.page() + "/pull/" + decimal(i.Number)
		out.Draft = &p.Draft
		out.PullRequest = &issuePullJSON{
			URL: pull, HTMLURL: out.HTMLURL, DiffURL: pull + ".diff", PatchURL: pull + ".patch", MergedAt: stamp(p.MergedAt),
		}
	}
	return out
}

func orNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
