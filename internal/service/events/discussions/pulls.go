package discussions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

const branches = "refs/heads/"

// branchOf reads "BRANCH" or "OWNER:BRANCH". A fork's branch is pushed to the
// repository first.
func branchOf(s operation.Subject, field, text string) (string, error) {
	owner, name, named := strings.Cut(text, ":")
	if !named {
		owner, name = s.Repo.Owner.Name, text
	}
	if name == "" {
		return "", refusal.Invalid(field, "%s must be the name of a branch", field)
	}
	if !strings.EqualFold(owner, s.Repo.Owner.Name) {
		return "", refusal.Invalid(field, "%s must be a branch of this repository", field)
	}
	return name, nil
}

// newPull checks the branches of a pull request: both exist, and one has commits that
// the other lacks.
func (d *Discussions) newPull(ctx context.Context, s operation.Subject, base, head string) (p Pull, err error) {
	if p.BaseRef, err = branchOf(s, "base", base); err != nil {
		return p, err
	}
	if p.HeadRef, err = branchOf(s, "head", head); err != nil {
		return p, err
	}
	for field, at := range map[string]struct {
		name string
		sha  *string
	}{"base": {p.BaseRef, &p.BaseSHA}, "head": {p.HeadRef, &p.HeadSHA}} {
		if *at.sha, err = d.host.Forge.Head(ctx, s.Repo, branches+at.name); errors.Is(err, forge.ErrNotFound) {
			return p, refusal.Invalid(field, "%s must be the name of a branch", field)
		} else if err != nil {
			return p, err
		}
	}
	c, err := d.host.Forge.Compare(ctx, s.Repo, p.BaseSHA, p.HeadSHA)
	if errors.Is(err, forge.ErrNotFound) {
		return p, refusal.Invalid("head", "The %s branch has no history in common with %s", p.HeadRef, p.BaseRef)
	}
	if err == nil && c.Ahead == 0 {
		err = refusal.Invalid("head", "No commits between %s and %s", p.BaseRef, p.HeadRef)
	}
	return p, refusal.FromForge(err)
}

// refresh looks up the commits of an open pull request. A branch that is gone stays
// where it was.
func (d *Discussions) refresh(ctx context.Context, r forge.Repository, issue *Issue) error {
	if issue.Pull == nil || issue.State != Open {
		return nil
	}
	pull := *issue.Pull
	for name, sha := range map[string]*string{pull.BaseRef: &pull.BaseSHA, pull.HeadRef: &pull.HeadSHA} {
		now, err := d.host.Forge.Head(ctx, r, branches+name)
		if err == nil {
			*sha = now
		} else if !errors.Is(err, forge.ErrNotFound) {
			return err
		}
	}
	issue.Pull = &pull
	return nil
}

// pull finds a pull request as it is now.
func (d *Discussions) pull(ctx context.Context, s operation.Subject, number int64) (Issue, error) {
	issue, err := d.issue(ctx, s, number)
	if err == nil && issue.Pull == nil {
		err = refusal.NotFound()
	}
	if err == nil {
		err = d.refresh(ctx, s.Repo, &issue)
	}
	return issue, err
}

// changes are what a pull request brings: the commits since the branches parted.
func (d *Discussions) changes(ctx context.Context, s operation.Subject, p Pull) (forge.Comparison, error) {
	base := p.BaseSHA
	if p.MergedAt != nil && p.MergeSHA != "" {
		// The branch has the commits by now; its state before the merge is its first parent.
		c, err := d.host.Forge.Commit(ctx, s.Repo, p.MergeSHA)
		if err != nil {
			return forge.Comparison{}, refusal.FromForge(err)
		}
		if len(c.Parents) > 0 {
			base = c.Parents[0]
		}
	}
	c, err := d.host.Forge.Compare(ctx, s.Repo, base, p.HeadSHA)
	return c, refusal.FromForge(err)
}

// mergeRequest is what a merge is asked for with.
type mergeRequest struct {
	title, message, sha, method string
}

// merge joins the branches with a real commit, and closes the pull request.
func (d *Discussions) merge(ctx context.Context, s operation.Subject, number int64, m mergeRequest) (Issue, error) {
	issue, err := d.pull(ctx, s, number)
	if err != nil {
		return issue, err
	}
	request, err := checkMerge(s, issue, m)
	if err != nil {
		return issue, err
	}
	sha, err := d.host.Forge.Merge(ctx, s.Repo, request)
	if errors.Is(err, forge.ErrForbidden) {
		return issue, refusal.Unmergeable("Pull Request is not mergeable")
	}
	if err != nil {
		return issue, refusal.FromForge(err)
	}
	return d.markMerged(ctx, s, issue, sha)
}

func checkMerge(s operation.Subject, issue Issue, m mergeRequest) (forge.MergeRequest, error) {
	p := issue.Pull
	request := forge.MergeRequest{
		Branch: p.BaseRef, Head: p.HeadSHA, Squash: m.method == "squash", Actor: s.Actor,
		Email: s.Actor.Name + "@users.noreply.invalid",
	}
	switch {
	case issue.State != Open:
		return request, refusal.Unmergeable("Pull Request is closed")
	case p.Draft:
		return request, refusal.Unmergeable("Pull Request is still a draft")
	case m.method == "rebase":
		return request, refusal.Unmergeable("Rebase merges are not allowed on this repository.")
	case m.method != "" && m.method != "merge" && m.method != "squash":
		return request, refusal.Invalid("merge_method", "merge_method must be merge or squash")
	case m.sha != "" && m.sha != p.HeadSHA:
		return request, refusal.Conflict("Head branch was modified. Review and try the merge again.")
	}
	title, message := mergeText(s, issue, request.Squash)
	if m.title != "" {
		title = m.title
	}
	if m.message != "" {
		message = m.message
	}
	request.Message = strings.TrimSpace(title+"\n\n"+message) + "\n"
	return request, checkText("commit_message", request.Message, maxText)
}

// mergeText is the text of a merge that is asked for without one.
func mergeText(s operation.Subject, issue Issue, squash bool) (title, message string) {
	if squash {
		return fmt.Sprintf("%s (#%d)", issue.Title, issue.Number), ""
	}
	title = fmt.Sprintf("Merge pull request #%d from %s/%s", issue.Number, s.Repo.Owner.Name, issue.Pull.HeadRef)
	return title, issue.Title
}

// markMerged writes down that a pull request is merged.
func (d *Discussions) markMerged(
	ctx context.Context, s operation.Subject, seen Issue, sha string,
) (issue Issue, err error) {
	err = d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		if issue, err = issueByNumber(ctx, tx, s.Repo.ID, seen.Number); err != nil {
			return found(err)
		}
		if issue.Pull.MergedAt != nil {
			return nil // by another request, meanwhile
		}
		now := d.host.Now()
		issue.setState(Closed, nil, s.Actor, now)
		issue.UpdatedAt, issue.Reason = now, ""
		pull := *seen.Pull
		pull.MergedAt, pull.MergedBy, pull.MergeSHA, pull.ReviewComments = &now, &s.Actor, sha, issue.Pull.ReviewComments
		issue.Pull = &pull
		if err := updateIssue(ctx, tx, issue); err != nil {
			return err
		}
		return d.tellIssue(ctx, tx, s, facts{Action: "merged", Issue: &issue})
	})
	return issue, err
}
