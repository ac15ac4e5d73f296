package graphqlobjects

import (
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
)

const maxSearch = 1000 // bytes of a search

// searched is what a search asks for.
type searched struct {
	repo string
	// nothing is for what there is none of here: a requested review.
	nothing bool
	filter  discussions.Filter
}

// search finds issues and pull requests of one repository by qualifiers.
func search(c *graphql.Call) (any, error) {
	r := requestOf(c)
	q, err := r.readSearch(c)
	if err != nil {
		return nil, err
	}
	owner, name, _ := strings.Cut(q.repo, "/")
	repo, err := r.repository(c, owner, name)
	if hidden := new(graphql.Error); errors.As(err, &hidden) || q.nothing {
		return &graphql.Connection{}, nil // a search that finds nothing is no error
	}
	if err != nil {
		return nil, err
	}
	return repo.discussions(c, q.filter)
}

// readSearch reads qualifiers. What cannot be searched for is refused, not left out.
func (r *request) readSearch(c *graphql.Call) (q searched, err error) {
	text := c.Text("query")
	if len(text) > maxSearch {
		return q, invalid("The search is longer than %d characters.", maxSearch)
	}
	q.filter.Sort = "created"
	for _, word := range splitSearch(text) {
		name, value, ok := strings.Cut(word, ":")
		value = strings.Trim(value, `"`)
		if !ok || value == "" {
			return q, invalid("The search takes qualifiers such as state:open alone, not %q.", shown(word))
		}
		if err := q.take(r, strings.ToLower(name), value); err != nil {
			return q, err
		}
	}
	if q.repo == "" {
		return q, invalid("The search needs a qualifier repo:OWNER/NAME.")
	}
	return q, nil
}

// splitSearch splits at spaces outside quotes.
func splitSearch(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// take reads one qualifier.
func (q *searched) take(r *request, name, value string) error {
	f := &q.filter
	switch name {
	case "repo":
		q.repo = value
	case "author":
		f.Author = r.me(value)
	case "assignee":
		f.Assignee = r.me(value)
	case "label":
		f.Labels = append(f.Labels, value)
	case "base":
		f.Base = value
	case "head":
		f.Head = value
	case "review-requested":
		q.nothing = true
	case "draft":
		draft := value == "true"
		f.Draft, f.Pulls = &draft, true
	case "sort":
		return q.sort(value)
	case "is", "type", "state":
		return q.is(value)
	default:
		return invalid("The search does not know the qualifier %q.", shown(name))
	}
	return nil
}

// me is the caller's own name for @me.
func (r *request) me(name string) string {
	if name == "@me" && access.UserOf(r.caller) != 0 {
		return r.caller.UserName
	}
	return name
}

func (q *searched) sort(value string) error {
	field, direction, _ := strings.Cut(value, "-")
	if !slices.Contains([]string{"created", "updated", "comments"}, field) {
		return invalid("The search does not sort by %q.", shown(value))
	}
	q.filter.Sort, q.filter.Ascending = field, direction == "asc"
	return nil
}

// is reads the words for kinds and states.
func (q *searched) is(value string) error {
	f := &q.filter
	switch value {
	case "issue":
		f.Issues = true
	case "pr", "pull-request":
		f.Pulls = true
	case "open":
		f.States = []string{"open"}
	case "closed":
		f.States = []string{"closed", "merged"}
	case "merged":
		f.States, f.Pulls = []string{"merged"}, true
	case "unmerged":
		f.States, f.Pulls = []string{"open", "closed"}, true
	case "draft":
		draft := true
		f.Draft, f.Pulls = &draft, true
	default:
		return invalid("The search does not know is:%s.", shown(value))
	}
	return nil
}
