package graphqlobjects

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
)

func noMilestones() map[string]string {
	return map[string]string{"milestoneId": "milestones", "projectIds": "projects", "issueTemplate": "templates"}
}

// marks reads labels and assignees, which are given by their ids.
func (p *repository) marks(c *graphql.Call, in graphql.Input, out *discussions.Change) error {
	if err := absent(in, noMilestones()); err != nil {
		return err
	}
	if ids := in.Texts("labelIds"); ids != nil {
		names, err := p.labelNames(c, ids)
		if err != nil {
			return err
		}
		out.Labels = &names
	}
	ids := in.Texts("assigneeIds")
	if ids == nil {
		return nil
	}
	names := []string{}
	for _, id := range ids {
		found, err := p.request.node(c, id)
		if err != nil {
			return err
		}
		u, ok := found.(*user)
		if !ok {
			return invalid("`assigneeIds` must be the ids of users.")
		}
		names = append(names, u.login)
	}
	out.Assignees = &names
	return nil
}

// labelNames are the names of labels of the repository.
func (p *repository) labelNames(c *graphql.Call, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return []string{}, nil
	}
	all, err := p.labels(c)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, id := range ids {
		at := slices.IndexFunc(all, func(l discussions.Label) bool { return objects.NodeID("Label", l.ID) == id })
		if at < 0 {
			return nil, &graphql.Error{
				Type: typeNotFound, Message: "Could not resolve to a node with the global id of '" + shown(id) + "'.",
			}
		}
		names = append(names, all[at].Name)
	}
	return names, nil
}

// dropEmpty leaves out empty lists, which clients send for "none" when they make something.
func dropEmpty(c *discussions.Change) {
	if c.Labels != nil && len(*c.Labels) == 0 {
		c.Labels = nil
	}
	if c.Assignees != nil && len(*c.Assignees) == 0 {
		c.Assignees = nil
	}
}

func createIssue(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	p, err := r.repositoryOf(c, in.Text("repositoryId"))
	if err != nil {
		return nil, err
	}
	title := in.Text("title")
	wanted := discussions.Change{Title: &title, Body: in.OptionalText("body")}
	if err := p.marks(c, in, &wanted); err != nil {
		return nil, err
	}
	dropEmpty(&wanted)
	s, err := p.subject(c)
	if err != nil {
		return nil, err
	}
	made, err := r.graph.Discussions.OpenIssue(c.Context, s, wanted)
	return payload{"issue": &issue{Issue: made, repo: p}}, err
}

func updateIssue(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	i, err := r.issueOf(c, in.Text("id"), "Issue")
	if err != nil {
		return nil, err
	}
	wanted, err := i.wanted(c, in)
	if err != nil {
		return nil, err
	}
	changed, err := i.edit(c, wanted)
	return payload{"issue": changed}, err
}

// wanted reads what an issue or a pull request shall become.
func (i *issue) wanted(c *graphql.Call, in graphql.Input) (discussions.Change, error) {
	out := discussions.Change{Title: in.OptionalText("title"), Body: in.OptionalText("body")}
	if in.Has("state") {
		state := discussions.State(strings.ToLower(in.Text("state")))
		out.State = &state
	}
	return out, i.repo.marks(c, in, &out)
}

// setState opens or closes an issue or a pull request.
func (r *request) setState(c *graphql.Call, id, kind string, change discussions.Change) (payload, error) {
	i, err := r.issueOf(c, id, kind)
	if err != nil {
		return nil, err
	}
	changed, err := i.edit(c, change)
	member := "issue"
	if kind == "PullRequest" {
		member = "pullRequest"
	}
	return payload{member: changed}, err
}

func closeIssue(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	reason := strings.ToLower(in.Text("stateReason"))
	if reason == "duplicate" || in.Text("duplicateIssueId") != "" {
		return nil, invalid("Issues cannot be closed as duplicates here: the reason is COMPLETED or NOT_PLANNED.")
	}
	closed := discussions.Closed
	return r.setState(c, in.Text("issueId"), "Issue", discussions.Change{State: &closed, Reason: &reason})
}

func addComment(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	i, err := r.issueOf(c, in.Text("subjectId"), "")
	if err != nil {
		return nil, err
	}
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	made, err := r.graph.Discussions.AddComment(c.Context, s, i.Issue, in.Text("body"))
	if err != nil {
		return nil, err
	}
	place := i.Comments
	i.Comments++
	return payload{"commentEdge": graphql.Edge{Node: &comment{made, i.repo}, At: place}, "subject": i}, nil
}

// commentOf is the comment that an id names.
func (r *request) commentOf(c *graphql.Call, id string) (*comment, error) {
	found, err := r.node(c, id)
	m, ok := found.(*comment)
	if err == nil && !ok {
		err = &graphql.Error{
			Type: typeNotFound, Message: "Could not resolve to a node with the global id of '" + shown(id) + "'.",
		}
	}
	return m, err
}

func updateComment(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	m, err := r.commentOf(c, in.Text("id"))
	if err != nil {
		return nil, err
	}
	s, err := m.repo.subject(c)
	if err != nil {
		return nil, err
	}
	changed, err := r.graph.Discussions.EditComment(c.Context, s, m.ID, in.Text("body"))
	return payload{"issueComment": &comment{changed, m.repo}}, err
}

func deleteComment(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	m, err := r.commentOf(c, in.Text("id"))
	if err != nil {
		return nil, err
	}
	s, err := m.repo.subject(c)
	if err != nil {
		return nil, err
	}
	return payload{}, r.graph.Discussions.DeleteComment(c.Context, s, m.ID)
}

// relabel adds labels to an issue or a pull request, or takes them away.
func relabel(add bool) func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	return func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
		i, err := r.issueOf(c, in.Text("labelableId"), "")
		if err != nil {
			return nil, err
		}
		names, err := i.repo.labelNames(c, in.Texts("labelIds"))
		if err != nil {
			return nil, err
		}
		changed, err := i.edit(c, discussions.Change{Relabel: func(have []string) ([]string, error) {
			if add {
				return append(have, names...), nil
			}
			return slices.DeleteFunc(have, func(one string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, one) })
			}), nil
		}})
		return payload{"labelable": changed}, err
	}
}
