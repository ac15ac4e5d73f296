package discussions

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type result = operation.Result

type issueRequest struct {
	Title       *string                        `json:"title"`
	Body        *string                        `json:"body"`
	State       *State                         `json:"state"`
	StateReason *string                        `json:"state_reason"`
	Labels      *[]labelName                   `json:"labels"`
	Assignee    *string                        `json:"assignee"`
	Assignees   *[]string                      `json:"assignees"`
	Milestone   wire.Optional[json.RawMessage] `json:"milestone"`
}

// change is what the request asks for.
func (in issueRequest) change() (change, error) {
	if in.Milestone.Present && !in.Milestone.Null {
		return change{}, refusal.Invalid("milestone", "there are no milestones here")
	}
	c := change{title: in.Title, body: in.Body, state: in.State, reason: in.StateReason, assignees: in.Assignees}
	if in.Labels != nil {
		names := []string{}
		for _, l := range *in.Labels {
			names = append(names, string(l))
		}
		c.labels = &names
	}
	if in.Assignee != nil && c.assignees == nil {
		list := []string{}
		if *in.Assignee != "" {
			list = append(list, *in.Assignee)
		}
		c.assignees = &list
	}
	return c, nil
}

func (d *Discussions) readingIssues(r *route.Request) (operation.Subject, error) {
	return d.host.Reading(r, ScopeIssuesRead, ScopeIssuesWrite)
}

// readingNumber is the subject and the number of an operation on one issue.
func (d *Discussions) readingNumber(r *route.Request) (s operation.Subject, number int64, err error) {
	if s, err = d.readingIssues(r); err == nil {
		number, err = operation.Number(r, "number")
	}
	return s, number, err
}

func (d *Discussions) changingNumber(
	r *route.Request, need forge.Permission, scope string,
) (s operation.Subject, number int64, err error) {
	if s, err = d.host.Changing(r, need, scope); err == nil {
		number, err = operation.Number(r, "number")
	}
	return s, number, err
}

// readQuery reads what a list is asked for.
func readQuery(r *route.Request, repoID int64) (query, error) {
	q := r.Query()
	f := query{
		repoID: repoID, state: q.Get("state"), author: q.Get("creator"), assignee: q.Get("assignee"),
		sort: q.Get("sort"), direction: q.Get("direction"),
	}
	if f.state == "" {
		f.state = string(Open)
	}
	if !slices.Contains([]string{"open", "closed", "all"}, f.state) {
		return f, refusal.Invalid("state", "state must be open, closed or all")
	}
	if f.assignee == "*" || f.assignee == "none" {
		return f, refusal.Invalid("assignee", "assignee must be the name of a user")
	}
	if labels := q.Get("labels"); labels != "" {
		f.labels = strings.Split(labels, ",")
	}
	if len(f.labels) > maxAssignees {
		return f, refusal.Invalid("labels", "at most %d labels", maxAssignees)
	}
	var err error
	f.since, err = since(r)
	return f, err
}

// since is the time of the query; without one it is the beginning of time.
func since(r *route.Request) (time.Time, error) {
	text := r.Query().Get("since")
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, refusal.Invalid("since", "since must be a time such as 2026-03-10T12:00:00Z")
	}
	return at, nil
}

// handleIssues lists issues and pull requests.
func (d *Discussions) handleIssues(r *route.Request) (result, error) {
	s, err := d.readingIssues(r)
	if err != nil {
		return result{}, err
	}
	f, err := readQuery(r, s.Repo.ID)
	if err != nil {
		return result{}, err
	}
	at := d.host.Page(r)
	list, total, err := listIssues(r.Context(), d.host.DB, f, at.Size, at.Offset)
	if err != nil {
		return result{}, err
	}
	labels, err := labelsOf(r.Context(), d.host.DB, s.Repo.ID)
	out := []issueJSON{}
	for _, i := range list {
		out = append(out, viewOf(s).issue(i, chosen(labels, i.Labels)))
	}
	return operation.ListOf(out, total), err
}

// issueToWire is the object of an issue with its labels.
func (d *Discussions) issueToWire(r *route.Request, s operation.Subject, i Issue) (issueJSON, error) {
	labels, err := labelsOf(r.Context(), d.host.DB, s.Repo.ID)
	return viewOf(s).issue(i, chosen(labels, i.Labels)), err
}

// handleCreateIssue opens an issue.
func (d *Discussions) handleCreateIssue(r *route.Request) (result, error) {
	var in issueRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, err := d.host.Changing(r, forge.Read, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	c, err := in.change()
	if err != nil {
		return result{}, err
	}
	if c.title == nil {
		return result{}, refusal.Invalid("title", "title must not be empty")
	}
	issue, err := d.create(r.Context(), s, c, nil)
	if err != nil {
		return result{}, err
	}
	out, err := d.issueToWire(r, s, issue)
	return operation.Created(out, out.URL), err
}

func (d *Discussions) handleIssue(r *route.Request) (result, error) {
	s, number, err := d.readingNumber(r)
	if err != nil {
		return result{}, err
	}
	issue, err := d.issue(r.Context(), s, number)
	if err != nil {
		return result{}, err
	}
	out, err := d.issueToWire(r, s, issue)
	return operation.OK(out), err
}

// handleUpdateIssue changes an issue, closes or opens it.
func (d *Discussions) handleUpdateIssue(r *route.Request) (result, error) {
	var in issueRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	c, err := in.change()
	if err != nil {
		return result{}, err
	}
	issue, err := d.edit(r.Context(), s, number, c)
	if err != nil {
		return result{}, err
	}
	out, err := d.issueToWire(r, s, issue)
	return operation.OK(out), err
}
