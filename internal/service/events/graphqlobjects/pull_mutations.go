package graphqlobjects

import (
	"strings"

	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
)

func createPull(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	p, err := r.repositoryOf(c, in.Text("repositoryId"))
	if err != nil {
		return nil, err
	}
	s, err := p.subject(c)
	if err != nil {
		return nil, err
	}
	draft := in.Bool("draft")
	made, err := r.graph.Discussions.OpenPull(c.Context, s, discussions.NewPull{
		Title: in.Text("title"), Body: in.Text("body"), Base: strings.TrimPrefix(in.Text("baseRefName"), "refs/heads/"),
		Head: in.Text("headRefName"), Draft: draft != nil && *draft,
	})
	return payload{"pullRequest": &issue{Issue: made, repo: p}}, err
}

func updatePull(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	i, err := r.issueOf(c, in.Text("pullRequestId"), "PullRequest")
	if err != nil {
		return nil, err
	}
	wanted, err := i.wanted(c, in)
	if err != nil {
		return nil, err
	}
	wanted.Base = in.OptionalText("baseRefName")
	changed, err := i.edit(c, wanted)
	return payload{"pullRequest": changed}, err
}

func mergePull(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	i, err := r.issueOf(c, in.Text("pullRequestId"), "PullRequest")
	if err != nil {
		return nil, err
	}
	if in.Text("authorEmail") != "" {
		return nil, invalid("`authorEmail` cannot be set: merges are made in the name of the caller.")
	}
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	if err := c.Spend(2 * gitSteps); err != nil {
		return nil, err
	}
	merged, err := r.graph.Discussions.MergePull(c.Context, s, i.Issue, discussions.Merge{
		Title: in.Text("commitHeadline"), Message: in.Text("commitBody"), HeadSHA: in.Text("expectedHeadOid"),
		Method: strings.ToLower(in.Text("mergeMethod")),
	})
	return payload{"pullRequest": &issue{Issue: merged, repo: i.repo}}, err
}

func addReview(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	i, err := r.issueOf(c, in.Text("pullRequestId"), "PullRequest")
	if err != nil {
		return nil, err
	}
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	made, err := r.graph.Discussions.AddReview(c.Context, s, i.Issue, strings.ToUpper(in.Text("event")), in.Text("body"))
	return payload{"pullRequestReview": &review{made, i.repo}}, err
}
