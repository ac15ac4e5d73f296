package discussions

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Filter is what a list is asked for with; what is empty asks for nothing.
type Filter struct {
	// Issues and Pulls leave the others out.
	Issues, Pulls bool
	// States are open, closed and merged; what is merged is not called closed.
	States           []string
	Author, Assignee string
	Labels           []string
	Base, Head       string
	Draft            *bool
	// Sort is created, updated or comments.
	Sort      string
	Ascending bool
}

// Change is what an issue or a pull request shall become; nil members stay.
type Change struct {
	Title, Body       *string
	State             *State
	Reason            *string
	Labels, Assignees *[]string
	// Relabel chooses the labels from those that the issue has when it is changed.
	Relabel func(have []string) ([]string, error)
	// Base is for pull requests.
	Base *string
}

func (c Change) own() change {
	return change{
		title: c.Title, body: c.Body, state: c.State, reason: c.Reason, labels: c.Labels, relabel: c.Relabel,
		assignees: c.Assignees,
	}
}

// NewPull is a pull request that shall be opened.
type NewPull struct {
	Title, Body, Base, Head string
	Draft                   bool
}

// Merge is how a pull request is merged; what is empty is chosen.
type Merge struct{ Title, Message, HeadSHA, Method string }

// mayRead refuses tokens that lack the scope for what a list or an object is.
func mayRead(s operation.Subject, pulls bool) error {
	if pulls {
		return s.MayRead(ScopePullsRead, ScopePullsWrite)
	}
	return s.MayRead(ScopeIssuesRead, ScopeIssuesWrite)
}

// List is a part of the issues or pull requests of a repository; a size of zero counts them.
func (d *Discussions) List(
	ctx context.Context, s operation.Subject, f Filter, size int, offset int64,
) ([]Issue, int64, error) {
	if err := mayRead(s, f.Pulls); err != nil {
		return nil, 0, err
	}
	if !f.Issues && !f.Pulls {
		if err := mayRead(s, true); err != nil {
			return nil, 0, err
		}
	}
	if len(f.Labels) > maxAssignees {
		return nil, 0, refusal.Invalid("labels", "at most %d labels", maxAssignees)
	}
	q := query{
		repoID: s.Repo.ID, issues: f.Issues, pulls: f.Pulls, state: "all", states: f.States, author: f.Author,
		assignee: f.Assignee, labels: f.Labels, base: f.Base, head: f.Head, draft: f.Draft, sort: f.Sort,
	}
	if f.Ascending {
		q.direction = "asc"
	}
	list, total, err := listIssues(ctx, d.host.DB, q, size, offset)
	if err != nil {
		return nil, 0, err
	}
	for i := range list {
		if err := d.refresh(ctx, s.Repo, &list[i]); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// Find is an issue or a pull request.
func (d *Discussions) Find(ctx context.Context, s operation.Subject, number int64) (Issue, error) {
	issue, err := d.issue(ctx, s, number)
	var missing *refusal.Error
	if err != nil && !errors.As(err, &missing) {
		return issue, err
	}
	if err := mayRead(s, issue.Pull != nil); err != nil {
		return Issue{}, err
	}
	if err != nil {
		return issue, err
	}
	return issue, d.refresh(ctx, s.Repo, &issue)
}

// Place is the repository and the number of an issue or a pull request. It does not ask who
// wants to know: the repository does.
func (d *Discussions) Place(ctx context.Context, id int64) (repoID, number int64, err error) {
	repoID, number, err = issuePlace(ctx, d.host.DB, id)
	return repoID, number, found(err)
}

// LabelsOf are the labels of a repository.
func (d *Discussions) LabelsOf(ctx context.Context, s operation.Subject) ([]Label, error) {
	if err := s.MayRead(ScopeIssuesRead, ScopeIssuesWrite, ScopePullsRead, ScopePullsWrite); err != nil {
		return nil, err
	}
	return labelsOf(ctx, d.host.DB, s.Repo.ID)
}

// Chosen are the labels of an issue among all.
func Chosen(all []Label, i Issue) []Label { return chosen(all, i.Labels) }

// CommentsOf are comments of an issue that was found, the oldest first.
func (d *Discussions) CommentsOf(
	ctx context.Context, s operation.Subject, i Issue, size int, offset int64,
) ([]Comment, int64, error) {
	if err := mayRead(s, false); err != nil {
		return nil, 0, err
	}
	of := commentQuery{repoID: i.RepoID, kind: onIssue, number: i.Number}
	return listComments(ctx, d.host.DB, of, size, offset)
}

// ReviewsOf are the reviews of a pull request that was found, the oldest first.
func (d *Discussions) ReviewsOf(ctx context.Context, i Issue, size int, offset int64) ([]Review, int64, error) {
	return listReviews(ctx, d.host.DB, i.RepoID, i.Number, size, offset)
}

// OpenIssue opens an issue.
func (d *Discussions) OpenIssue(ctx context.Context, s operation.Subject, c Change) (Issue, error) {
	if err := s.MayChange(forge.Read, ScopeIssuesWrite); err != nil {
		return Issue{}, err
	}
	return d.create(ctx, s, c.own(), nil)
}

// OpenPull opens a pull request between two branches.
func (d *Discussions) OpenPull(ctx context.Context, s operation.Subject, n NewPull) (Issue, error) {
	if err := s.MayChange(forge.Read, ScopePullsWrite); err != nil {
		return Issue{}, err
	}
	p, err := d.newPull(ctx, s, n.Base, n.Head)
	if err != nil {
		return Issue{}, err
	}
	p.Draft = n.Draft
	return d.create(ctx, s, change{title: &n.Title, body: &n.Body}, &p)
}

// Edit changes an issue or a pull request that was found. Labels and assignees take the scope
// of issues, whatever they are given to.
func (d *Discussions) Edit(ctx context.Context, s operation.Subject, i Issue, c Change) (Issue, error) {
	scope := ScopeIssuesWrite
	marks := c.Labels != nil || c.Assignees != nil || c.Relabel != nil
	if i.Pull != nil && (!marks || c.Title != nil || c.Body != nil || c.State != nil || c.Base != nil) {
		scope = ScopePullsWrite
	}
	if err := s.MayChange(forge.Read, scope); err != nil {
		return i, err
	}
	if marks {
		if err := s.MayChange(forge.Write, ScopeIssuesWrite); err != nil {
			return i, err
		}
	}
	own := c.own()
	if i.Pull != nil {
		own.at = i.Pull
		if c.Base != nil {
			p, err := d.newPull(ctx, s, *c.Base, i.Pull.HeadRef)
			if err != nil {
				return i, err
			}
			own.base, own.at = &p.BaseRef, &p
		}
	}
	return d.edit(ctx, s, i.Number, own)
}

// AddComment comments on an issue or a pull request.
func (d *Discussions) AddComment(ctx context.Context, s operation.Subject, i Issue, body string) (Comment, error) {
	if err := s.MayChange(forge.Read, ScopeIssuesWrite); err != nil {
		return Comment{}, err
	}
	return d.comment(ctx, s, i.Number, body)
}

// CommentRepo is the repository of a comment on an issue or a pull request. It does not ask
// who wants to know.
func (d *Discussions) CommentRepo(ctx context.Context, id int64) (int64, error) {
	repoID, err := commentRepo(ctx, d.host.DB, id)
	return repoID, found(err)
}

// FindComment is a comment on an issue or a pull request.
func (d *Discussions) FindComment(ctx context.Context, s operation.Subject, id int64) (Comment, error) {
	if err := mayRead(s, false); err != nil {
		return Comment{}, err
	}
	c, err := commentByID(ctx, d.host.DB, s.Repo.ID, onIssue, id)
	return c, found(err)
}

// LabelRepo is the repository of a label. It does not ask who wants to know.
func (d *Discussions) LabelRepo(ctx context.Context, id int64) (int64, error) {
	repoID, err := labelRepo(ctx, d.host.DB, id)
	return repoID, found(err)
}

// ReviewPlace is the repository and the number of the pull request of a review. It does not ask who wants to know.
func (d *Discussions) ReviewPlace(ctx context.Context, id int64) (repoID, number int64, err error) {
	repoID, number, err = reviewPlace(ctx, d.host.DB, id)
	return repoID, number, found(err)
}

// FindReview is a review of a pull request that was found.
func (d *Discussions) FindReview(ctx context.Context, i Issue, id int64) (Review, error) {
	v, err := reviewByID(ctx, d.host.DB, i.RepoID, i.Number, id)
	return v, found(err)
}

// EditComment gives a comment another text.
func (d *Discussions) EditComment(ctx context.Context, s operation.Subject, id int64, body string) (Comment, error) {
	if err := s.MayChange(forge.Read, ScopeIssuesWrite); err != nil {
		return Comment{}, err
	}
	return d.editComment(ctx, s, onIssue, id, body)
}

// DeleteComment takes a comment away.
func (d *Discussions) DeleteComment(ctx context.Context, s operation.Subject, id int64) error {
	if err := s.MayChange(forge.Read, ScopeIssuesWrite); err != nil {
		return err
	}
	return d.deleteComment(ctx, s, onIssue, id)
}

// AddReview judges a pull request; event is APPROVE, REQUEST_CHANGES or COMMENT.
func (d *Discussions) AddReview(
	ctx context.Context, s operation.Subject, i Issue, event, body string,
) (Review, error) {
	if err := s.MayChange(forge.Read, ScopePullsWrite); err != nil {
		return Review{}, err
	}
	return d.review(ctx, s, i.Number, Review{State: reviewStates()[event], Body: body}, nil)
}

// MergePull merges a pull request with a commit.
func (d *Discussions) MergePull(ctx context.Context, s operation.Subject, i Issue, m Merge) (Issue, error) {
	if err := s.MayChange(forge.Write, forge.ScopeContentsWrite); err != nil {
		return i, err
	}
	return d.merge(ctx, s, i.Number, mergeRequest{title: m.Title, message: m.Message, sha: m.HeadSHA, method: m.Method})
}

// MergeText is what the commit of a merge says unless another text is asked for.
func MergeText(s operation.Subject, i Issue, squash bool) (title, message string) {
	return mergeText(s, i, squash)
}

// Compare is what a pull request brings: the commits since the branches parted.
func (d *Discussions) Compare(ctx context.Context, s operation.Subject, i Issue) (forge.Comparison, error) {
	return d.changes(ctx, s, *i.Pull)
}

// FilesOf are the files that a pull request changes.
func (d *Discussions) FilesOf(
	ctx context.Context, s operation.Subject, i Issue, c forge.Comparison,
) ([]forge.FileChange, error) {
	files, err := d.host.Forge.Diff(ctx, s.Repo, c.MergeBase.SHA, i.Pull.HeadSHA)
	return files, refusal.FromForge(err)
}

// Mergeable reports whether the branches of an open pull request merge.
func (d *Discussions) Mergeable(ctx context.Context, s operation.Subject, i Issue) (bool, error) {
	ok, err := d.host.Forge.Mergeable(ctx, s.Repo, i.Pull.BaseSHA, i.Pull.HeadSHA)
	return ok, refusal.FromForge(err)
}
