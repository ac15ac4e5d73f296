package graphqlobjects

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// readID splits an id into the kind of the object and its number, or the number of its repository and its name there.
func readID(id string) (kind string, number int64, name string) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(id, "="))
	if err != nil {
		return "", 0, ""
	}
	kind, rest, _ := strings.Cut(string(raw), ":")
	digits, name, named := strings.Cut(rest, ":")
	number, err = strconv.ParseInt(digits, 10, 64)
	if err != nil || number < 0 || strconv.FormatInt(number, 10) != digits || (name != "") != named ||
		(number == 0) != (kind == "Bot") {
		return "", 0, ""
	}
	return kind, number, name
}

// node is an object by its id.
func (r *request) node(c *graphql.Call, id string) (any, error) {
	if err := c.Spend(2 * storeSteps); err != nil {
		return nil, err
	}
	kind, number, name := readID(id)
	var out any
	var err error
	if name == "" {
		out, err = r.numbered(c, kind, number)
	} else {
		out, err = r.named(c, kind, number, name)
	}
	if errors.Is(err, identity.ErrNotFound) || err == nil && typeOf(out) != kind {
		err = refusal.NotFound()
	}
	if err != nil {
		return nil, missing(err, "a node with the global id of '%s'.", shown(id))
	}
	return out, nil
}

// named is an object that has a name and no number.
func (r *request) named(c *graphql.Call, kind string, repoID int64, name string) (any, error) {
	if kind == "Bot" {
		return r.account(c, name)
	}
	if kind != "Commit" && (kind != "Ref" || !strings.HasPrefix(name, "refs/")) {
		return nil, refusal.NotFound()
	}
	repo, err := r.repositoryByID(c, repoID)
	if err != nil {
		return nil, err
	}
	if _, err := repo.content(c); err != nil {
		return nil, err
	}
	if kind == "Ref" {
		return repo.ref(c, name)
	}
	m := &commit{sha: name, repo: repo}
	found, err := m.load(c)
	if err == nil && found.SHA != name {
		err = refusal.NotFound() // a branch is no commit
	}
	return m, err
}

// numbered is an object that has a number.
func (r *request) numbered(c *graphql.Call, kind string, number int64) (out any, err error) {
	err = refusal.NotFound()
	switch kind {
	case "Repository":
		out, err = r.repositoryByID(c, number)
	case "Issue", "PullRequest":
		out, err = r.issueByID(c, number)
	case "IssueComment":
		out, err = r.commentByID(c, number)
	case "Label":
		out, err = r.labelByID(c, number)
	case "PullRequestReview":
		out, err = r.reviewByID(c, number)
	case "Release":
		out, err = r.releaseByID(c, number)
	case "User":
		out, err = r.userByID(c, number)
	case "Organization":
		var org identity.Org
		if org, err = r.graph.Access.Identity.Org(c.Context, number); err == nil {
			out = &organization{Org: org, request: r}
		}
	}
	return out, err
}

func (r *request) repositoryByID(c *graphql.Call, id int64) (*repository, error) {
	found, may, err := r.graph.Access.Repository(c.Context, r.caller, id)
	if err != nil {
		return nil, err
	}
	return &repository{Repository: found, request: r, may: &may}, nil
}

func (r *request) userByID(c *graphql.Call, id int64) (*user, error) {
	if known, ok := r.users[id]; ok {
		return r.knownUser(known), nil
	}
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	u, err := r.graph.Access.Identity.User(c.Context, id)
	if err != nil {
		return nil, err
	}
	return r.knownUser(u), nil
}

func (r *request) issueByID(c *graphql.Call, id int64) (*issue, error) {
	repoID, number, err := r.graph.Discussions.Place(c.Context, id)
	if err != nil {
		return nil, err
	}
	repo, err := r.repositoryByID(c, repoID)
	if err != nil {
		return nil, err
	}
	return repo.issue(c, number)
}

// repositoryHolding is the repository of a thing, which find knows by the thing's id.
func (r *request) repositoryHolding(
	c *graphql.Call, find func(ctx context.Context, id int64) (int64, error), id int64,
) (*repository, error) {
	repoID, err := find(c.Context, id)
	if err != nil {
		return nil, err
	}
	return r.repositoryByID(c, repoID)
}

func (r *request) commentByID(c *graphql.Call, id int64) (*comment, error) {
	repo, err := r.repositoryHolding(c, r.graph.Discussions.CommentRepo, id)
	if err != nil {
		return nil, err
	}
	s, err := repo.subject(c)
	if err != nil {
		return nil, err
	}
	found, err := r.graph.Discussions.FindComment(c.Context, s, id)
	return &comment{Comment: found, repo: repo}, err
}

func (r *request) labelByID(c *graphql.Call, id int64) (*label, error) {
	repo, err := r.repositoryHolding(c, r.graph.Discussions.LabelRepo, id)
	if err != nil {
		return nil, err
	}
	all, err := repo.labels(c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(l discussions.Label) bool { return l.ID == id })
	if at < 0 {
		return nil, refusal.NotFound()
	}
	return &label{all[at], repo}, nil
}

func (r *request) reviewByID(c *graphql.Call, id int64) (*review, error) {
	repoID, number, err := r.graph.Discussions.ReviewPlace(c.Context, id)
	if err != nil {
		return nil, err
	}
	repo, err := r.repositoryByID(c, repoID)
	if err != nil {
		return nil, err
	}
	i, err := repo.issue(c, number)
	if err != nil {
		return nil, err
	}
	found, err := r.graph.Discussions.FindReview(c.Context, i.Issue, id)
	return &review{found, repo}, err
}

func (r *request) releaseByID(c *graphql.Call, id int64) (*release, error) {
	repo, err := r.repositoryHolding(c, r.graph.Releases.Repo, id)
	if err != nil {
		return nil, err
	}
	s, err := repo.subject(c)
	if err != nil {
		return nil, err
	}
	found, err := r.graph.Releases.Find(c.Context, s, id)
	return &release{found, repo}, err
}
