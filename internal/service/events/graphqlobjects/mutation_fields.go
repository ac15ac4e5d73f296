package graphqlobjects

import (
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// payload is the answer of a change: its members by the names of their fields.
type payload map[string]any

// change makes the field of a change.
func change(make func(c *graphql.Call, r *request, in graphql.Input) (payload, error)) graphql.Resolver {
	return func(c *graphql.Call) (any, error) {
		in := c.Input("input")
		out, err := make(c, requestOf(c), in)
		if err != nil {
			return nil, err
		}
		out["clientMutationId"] = orNull(in.Text("clientMutationId"))
		return out, nil
	}
}

// payloadFields are the resolvers of the answers of changes.
func payloadFields() graphql.Fields {
	out := graphql.Fields{}
	for name, members := range map[string][]string{
		"CreateRepository": {"repository"}, "CreateIssue": {"issue"}, "UpdateIssue": {"issue"}, "CloseIssue": {"issue"},
		"ReopenIssue": {"issue"}, "AddComment": {"commentEdge", "subject"}, "UpdateIssueComment": {"issueComment"},
		"DeleteIssueComment": {}, "AddLabelsToLabelable": {"labelable"}, "RemoveLabelsFromLabelable": {"labelable"},
		"CreatePullRequest": {"pullRequest"}, "UpdatePullRequest": {"pullRequest"}, "ClosePullRequest": {"pullRequest"},
		"ReopenPullRequest": {"pullRequest"}, "MergePullRequest": {"pullRequest"},
		"AddPullRequestReview": {"pullRequestReview"}, "AddStar": {"starrable"}, "RemoveStar": {"starrable"},
	} {
		fields := map[string]graphql.Resolver{}
		for _, member := range append(members, "clientMutationId") {
			fields[member] = graphql.Of(func(_ *graphql.Call, p payload) (any, error) { return p[member], nil })
		}
		out[name+"Payload"] = fields
	}
	return out
}

func mutationFields() map[string]graphql.Resolver {
	closed, open := discussions.Closed, discussions.Open
	return map[string]graphql.Resolver{
		"createRepository": change(createRepository),
		"createIssue":      change(createIssue), "updateIssue": change(updateIssue),
		"closeIssue": change(closeIssue),
		"reopenIssue": change(func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
			return r.setState(c, in.Text("issueId"), "Issue", discussions.Change{State: &open})
		}),
		"addComment": change(addComment), "updateIssueComment": change(updateComment),
		"deleteIssueComment":        change(deleteComment),
		"addLabelsToLabelable":      change(relabel(true)),
		"removeLabelsFromLabelable": change(relabel(false)),
		"createPullRequest":         change(createPull), "updatePullRequest": change(updatePull),
		"closePullRequest": change(func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
			return r.setState(c, in.Text("pullRequestId"), "PullRequest", discussions.Change{State: &closed})
		}),
		"reopenPullRequest": change(func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
			return r.setState(c, in.Text("pullRequestId"), "PullRequest", discussions.Change{State: &open})
		}),
		"mergePullRequest": change(mergePull), "addPullRequestReview": change(addReview),
		"addStar": change(star(true)), "removeStar": change(star(false)),
	}
}

// absent refuses members that ask for what there is none of here.
func absent(in graphql.Input, words map[string]string) error {
	for name, what := range words {
		if in.Text(name) != "" || len(in.Texts(name)) > 0 {
			return invalid("`%s` cannot be set: there are no %s here.", name, what)
		}
	}
	return nil
}

// repositoryOf is the repository that an id names.
func (r *request) repositoryOf(c *graphql.Call, id string) (*repository, error) {
	kind, number, _ := readID(id)
	err := error(refusal.NotFound())
	var found *repository
	if kind == "Repository" {
		found, err = r.repositoryByID(c, number)
	}
	return found, missing(err, "a node with the global id of '%s'.", shown(id))
}

// issueOf is the issue or the pull request that an id names; kind is which, or empty.
func (r *request) issueOf(c *graphql.Call, id, kind string) (*issue, error) {
	found, err := r.node(c, id)
	i, ok := found.(*issue)
	if err == nil && (!ok || kind != "" && i.kind() != kind) {
		err = missing(refusal.NotFound(), "a node with the global id of '%s'.", shown(id))
	}
	return i, err
}

// edit changes an issue or a pull request.
func (i *issue) edit(c *graphql.Call, change discussions.Change) (*issue, error) {
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	changed, err := i.repo.request.graph.Discussions.Edit(c.Context, s, i.Issue, change)
	delete(i.repo.request.labels, i.repo.ID)
	return &issue{Issue: changed, repo: i.repo}, err
}
