package graphqlobjects

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
)

// issue is an issue, or a pull request when Pull is set.
type issue struct {
	discussions.Issue
	repo *repository
	// compared, files and judged are what was looked up about a pull request.
	compared *forge.Comparison
	files    []forge.FileChange
	judged   []discussions.Review
}

type label struct {
	discussions.Label
	repo *repository
}

type comment struct {
	discussions.Comment
	repo *repository
}

// path is where the page of an issue is.
func (i *issue) path() string {
	kind := "/issues/"
	if i.Pull != nil {
		kind = "/pull/"
	}
	return "/" + i.repo.FullName() + kind + strconv.FormatInt(i.Number, 10)
}

func (i *issue) url() string { return objects.Pages(i.repo.request.base) + i.path() }

// kind is the word that ids of REST begin with.
func (i *issue) kind() string {
	if i.Pull != nil {
		return "PullRequest"
	}
	return "Issue"
}

func ofIssue(value func(i *issue) any) graphql.Resolver {
	return graphql.Of(func(_ *graphql.Call, i *issue) (any, error) { return value(i), nil })
}

// sharedFields are those that issues and pull requests have.
func sharedFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"id":                ofIssue(func(i *issue) any { return objects.NodeID(i.kind(), i.ID) }),
		"databaseId":        ofIssue(func(i *issue) any { return i.ID }),
		"fullDatabaseId":    ofIssue(func(i *issue) any { return strconv.FormatInt(i.ID, 10) }),
		"number":            ofIssue(func(i *issue) any { return i.Number }),
		"title":             ofIssue(func(i *issue) any { return i.Title }),
		"body":              ofIssue(func(i *issue) any { return i.Body }),
		"closed":            ofIssue(func(i *issue) any { return i.State == discussions.Closed }),
		"closedAt":          ofIssue(func(i *issue) any { return i.ClosedAt }),
		"createdAt":         ofIssue(func(i *issue) any { return i.CreatedAt }),
		"updatedAt":         ofIssue(func(i *issue) any { return i.UpdatedAt }),
		"url":               ofIssue(func(i *issue) any { return i.url() }),
		"resourcePath":      ofIssue(func(i *issue) any { return i.path() }),
		"author":            ofIssue(func(i *issue) any { return i.repo.request.actor(i.Author) }),
		"authorAssociation": ofIssue(func(i *issue) any { return i.Association }),
		"viewerDidAuthor":   ofIssue(func(i *issue) any { return i.repo.request.is(i.Author) }),
		"repository":        ofIssue(func(i *issue) any { return i.repo }),
		"labels": graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
			all, err := i.repo.labels(c)
			if err != nil {
				return nil, err
			}
			return pageOfLabels(c, i.repo, discussions.Chosen(all, i.Issue))
		}),
		"assignees":      graphql.Of(pageOfAssignees),
		"assignedActors": graphql.Of(pageOfAssignees),
		"comments":       graphql.Of(pageOfComments),
	}
}

func pageOfAssignees(c *graphql.Call, i *issue) (any, error) {
	all := []any{}
	for _, a := range i.Assignees {
		all = append(all, i.repo.request.actor(a))
	}
	return c.PageOf(all)
}

func pageOfComments(c *graphql.Call, i *issue) (any, error) {
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	return c.Page(func(size int, offset int64) ([]any, int64, error) {
		if err := c.Spend(2 * storeSteps); err != nil {
			return nil, 0, err
		}
		list, total, err := i.repo.request.graph.Discussions.CommentsOf(c.Context, s, i.Issue, size, offset)
		out := []any{}
		for _, one := range list {
			out = append(out, &comment{one, i.repo})
		}
		return out, total, err
	})
}

// pageOfLabels is a part of labels, by name or in the order in which they were made. The list is
// the caller's own: it is sorted.
func pageOfLabels(c *graphql.Call, p *repository, list []discussions.Label) (any, error) {
	order := c.Input("orderBy")
	if strings.EqualFold(order.Text("field"), "CREATED_AT") {
		slices.SortFunc(list, func(a, b discussions.Label) int { return cmp.Compare(a.ID, b.ID) })
	}
	if strings.EqualFold(order.Text("direction"), "DESC") {
		slices.Reverse(list)
	}
	all := []any{}
	for _, l := range list {
		all = append(all, &label{l, p})
	}
	return c.PageOf(all)
}

// is reports whether the caller is who did something.
func (r *request) is(a forge.Actor) bool { return a.ID != 0 && access.UserOf(r.caller) == a.ID }

func issueFields() map[string]graphql.Resolver {
	out := sharedFields()
	out["state"] = ofIssue(func(i *issue) any { return strings.ToUpper(string(i.State)) })
	out["stateReason"] = ofIssue(func(i *issue) any { return orNull(strings.ToUpper(i.Reason)) })
	out["subIssuesSummary"] = ofIssue(func(i *issue) any { return i })
	return out
}

func labelFields() map[string]graphql.Resolver {
	of := func(value func(l *label) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, l *label) (any, error) { return value(l), nil })
	}
	return map[string]graphql.Resolver{
		"id":          of(func(l *label) any { return objects.NodeID("Label", l.ID) }),
		"name":        of(func(l *label) any { return l.Name }),
		"color":       of(func(l *label) any { return l.Color }),
		"description": of(func(l *label) any { return orNull(l.Description) }),
		"repository":  of(func(l *label) any { return l.repo }),
	}
}

func commentFields() map[string]graphql.Resolver {
	of := func(value func(m *comment) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, m *comment) (any, error) { return value(m), nil })
	}
	path := func(m *comment) string {
		return "/" + m.repo.FullName() + "/issues/" + strconv.FormatInt(m.Number, 10) +
			"#issuecomment-" + strconv.FormatInt(m.ID, 10)
	}
	return map[string]graphql.Resolver{
		"id":                  of(func(m *comment) any { return objects.NodeID("IssueComment", m.ID) }),
		"databaseId":          of(func(m *comment) any { return m.ID }),
		"fullDatabaseId":      of(func(m *comment) any { return strconv.FormatInt(m.ID, 10) }),
		"author":              of(func(m *comment) any { return m.repo.request.actor(m.Author) }),
		"authorAssociation":   of(func(m *comment) any { return m.Association }),
		"body":                of(func(m *comment) any { return m.Body }),
		"createdAt":           of(func(m *comment) any { return m.CreatedAt }),
		"updatedAt":           of(func(m *comment) any { return m.UpdatedAt }),
		"includesCreatedEdit": of(func(m *comment) any { return m.UpdatedAt.After(m.CreatedAt) }),
		"viewerDidAuthor":     of(func(m *comment) any { return m.repo.request.is(m.Author) }),
		"url":                 of(func(m *comment) any { return objects.Pages(m.repo.request.base) + path(m) }),
		"resourcePath":        of(func(m *comment) any { return path(m) }),
		"repository":          of(func(m *comment) any { return m.repo }),
	}
}
