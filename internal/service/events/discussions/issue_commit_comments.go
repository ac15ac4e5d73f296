package discussions

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

func checkBody(body string) error {
	if body == "" {
		return refusal.Invalid("body", "body must not be empty")
	}
	return checkText("body", body, maxText)
}

// newComment is a comment of the caller.
func (d *Discussions) newComment(s operation.Subject, kind commentKind, body string) Comment {
	now := d.host.Now()
	return Comment{
		RepoID: s.Repo.ID, Kind: kind, Body: body, Author: s.Actor, CreatedAt: now, UpdatedAt: now,
		Association: associationOf(s.Repo, s.Actor, s.May),
	}
}

// comment adds a comment to an issue or a pull request.
func (d *Discussions) comment(ctx context.Context, s operation.Subject, number int64, body string) (Comment, error) {
	if err := checkBody(body); err != nil {
		return Comment{}, err
	}
	c := d.newComment(s, onIssue, body)
	c.Number = number
	err := d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		issue, err := issueByNumber(ctx, tx, s.Repo.ID, number)
		if err != nil {
			return found(err)
		}
		if issue.Comments >= maxComments {
			return refusal.Forbidden("Commenting is disabled on issues with more than %d comments", maxComments)
		}
		if err := insertComment(ctx, tx, &c); err != nil {
			return err
		}
		issue.Comments++
		issue.UpdatedAt = c.CreatedAt
		if err := updateIssue(ctx, tx, issue); err != nil {
			return err
		}
		all, err := labelsOf(ctx, tx, s.Repo.ID)
		if err != nil {
			return err
		}
		return d.tell(ctx, tx, s, TypeIssueComment, facts{
			Action: "created", Issue: &issue, Labels: chosen(all, issue.Labels), Comment: &c,
		})
	})
	return c, err
}

// commentOnCommit adds a comment to a commit.
func (d *Discussions) commentOnCommit(ctx context.Context, s operation.Subject, c Comment) (Comment, error) {
	if err := checkBody(c.Body); err != nil {
		return c, err
	}
	if err := checkText("path", c.Path, maxPath); err != nil {
		return c, err
	}
	err := d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		_, have, err := listComments(ctx, tx, commentQuery{repoID: s.Repo.ID, kind: onCommit, commitID: c.CommitID}, 1, 0)
		if err != nil {
			return err
		}
		if have >= maxComments {
			return refusal.Forbidden("Commenting is disabled on commits with more than %d comments", maxComments)
		}
		if err := insertComment(ctx, tx, &c); err != nil {
			return err
		}
		return d.tell(ctx, tx, s, TypeCommitComment, facts{Action: "created", Comment: &c})
	})
	return c, err
}

// editComment changes the text of a comment.
func (d *Discussions) editComment(
	ctx context.Context, s operation.Subject, kind commentKind, id int64, body string,
) (c Comment, err error) {
	if err := checkBody(body); err != nil {
		return c, err
	}
	err = d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		if c, err = commentByID(ctx, tx, s.Repo.ID, kind, id); err != nil {
			return found(err)
		}
		if err := mayEdit(s, c.Author); err != nil {
			return err
		}
		c.Body, c.UpdatedAt = body, d.host.Now()
		return updateComment(ctx, tx, c)
	})
	return c, err
}

// deleteComment removes a comment.
func (d *Discussions) deleteComment(ctx context.Context, s operation.Subject, kind commentKind, id int64) error {
	return d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		c, err := commentByID(ctx, tx, s.Repo.ID, kind, id)
		if err != nil {
			return found(err)
		}
		if err := mayEdit(s, c.Author); err != nil {
			return err
		}
		if err := removeComment(ctx, tx, id); err != nil || kind == onCommit {
			return err
		}
		issue, err := issueByNumber(ctx, tx, s.Repo.ID, c.Number)
		if err != nil {
			return err
		}
		if kind == onIssue {
			issue.Comments--
		} else {
			issue.Pull.ReviewComments--
		}
		issue.UpdatedAt = d.host.Now()
		return updateIssue(ctx, tx, issue)
	})
}
