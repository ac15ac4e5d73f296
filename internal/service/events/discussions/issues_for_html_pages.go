package discussions

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// maxShown is how many entries a page has.
const maxShown = 100

// Newest are the newest issues, or pull requests, of a repository that its pages list.
func (d *Discussions) Newest(ctx context.Context, r forge.Repository, pulls bool) ([]Issue, error) {
	all, _, err := listIssues(ctx, d.host.DB, query{repoID: r.ID, pulls: pulls, state: "all"}, maxShown, 0)
	if pulls || err != nil {
		return all, err
	}
	var out []Issue
	for _, i := range all {
		if i.Pull == nil {
			out = append(out, i)
		}
	}
	return out, nil
}

// Shown is an issue or a pull request with its first comments.
func (d *Discussions) Shown(ctx context.Context, r forge.Repository, number int64) (Issue, []Comment, error) {
	i, err := issueByNumber(ctx, d.host.DB, r.ID, number)
	if errors.Is(err, database.ErrNotFound) {
		return i, nil, refusal.NotFound()
	}
	if err != nil {
		return i, nil, err
	}
	of := commentQuery{repoID: r.ID, kind: onIssue, number: number}
	comments, _, err := listComments(ctx, d.host.DB, of, maxShown, 0)
	return i, comments, err
}
