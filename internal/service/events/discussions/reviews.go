package discussions

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// maxReviewLines is how many comments one review brings.
const maxReviewLines = 50

// writePull changes a pull request, whose commits are those that were seen.
func (d *Discussions) writePull(
	ctx context.Context, s *operation.Subject, seen Issue,
	fn func(ctx context.Context, tx *database.Tx, now *Issue) error,
) error {
	return d.write(ctx, s, func(ctx context.Context, tx *database.Tx) error {
		now, err := issueByNumber(ctx, tx, s.Repo.ID, seen.Number)
		if err != nil {
			return found(err)
		}
		now.Pull.BaseSHA, now.Pull.HeadSHA = seen.Pull.BaseSHA, seen.Pull.HeadSHA
		if err := fn(ctx, tx, &now); err != nil {
			return err
		}
		return updateIssue(ctx, tx, now)
	})
}

// review judges a pull request.
func (d *Discussions) review(
	ctx context.Context, s operation.Subject, number int64, v Review, lines []lineComment,
) (Review, error) {
	issue, err := d.pull(ctx, s, number)
	if err != nil {
		return v, err
	}
	if err := checkReview(s, issue, v, lines); err != nil {
		return v, err
	}
	var comments []Comment
	for _, in := range lines {
		c, err := d.place(ctx, s, issue, in)
		if err != nil {
			return v, err
		}
		comments = append(comments, c)
	}
	v.RepoID, v.Number, v.Author, v.CommitID, v.SubmittedAt = s.Repo.ID, number, s.Actor, issue.Pull.HeadSHA, d.host.Now()
	v.Association = associationOf(s.Repo, s.Actor, s.May)
	return v, d.writePull(ctx, &s, issue, func(ctx context.Context, tx *database.Tx, now *Issue) error {
		if _, have, err := listReviews(ctx, tx, s.Repo.ID, number, 1, 0); err != nil {
			return err
		} else if have >= maxReviews {
			return refusal.Forbidden("A pull request may have at most %d reviews", maxReviews)
		}
		if err := insertReview(ctx, tx, &v); err != nil {
			return err
		}
		for i := range comments {
			comments[i].ReviewID = v.ID
			if err := d.addLine(ctx, tx, s, now, &comments[i]); err != nil {
				return err
			}
		}
		return d.tell(ctx, tx, s, TypeReview, facts{Action: "created", Issue: now, Review: &v})
	})
}

// reviewStates are what the events of a review make of it.
func reviewStates() map[string]string {
	return map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
}

func checkReview(s operation.Subject, issue Issue, v Review, lines []lineComment) error {
	own := s.Actor.ID != 0 && s.Actor.ID == issue.Author.ID
	switch {
	case !slices.Contains([]string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED"}, v.State):
		return refusal.Invalid("event", "event must be APPROVE, REQUEST_CHANGES or COMMENT: reviews are submitted at once")
	case own && v.State != "COMMENTED":
		return refusal.Invalid("event", "Review Can not approve or request changes on your own pull request")
	case v.Body == "" && v.State != "APPROVED" && len(lines) == 0:
		return refusal.Invalid("body", "body must not be empty")
	case len(lines) > maxReviewLines:
		return refusal.Invalid("comments", "a review may have at most %d comments", maxReviewLines)
	case v.CommitID != "" && v.CommitID != issue.Pull.HeadSHA:
		return refusal.Invalid("commit_id", "commit_id must be the last commit of the pull request")
	}
	return checkText("body", v.Body, maxText)
}

// editReview changes a review's text, or dismisses it; action is the word for it.
func (d *Discussions) editReview(
	ctx context.Context, s operation.Subject, number, id int64, action string, edit func(*Review) error,
) (v Review, err error) {
	issue, err := d.pull(ctx, s, number)
	if err != nil {
		return v, err
	}
	err = d.writePull(ctx, &s, issue, func(ctx context.Context, tx *database.Tx, now *Issue) error {
		if v, err = reviewByID(ctx, tx, s.Repo.ID, number, id); err != nil {
			return found(err)
		}
		if err := edit(&v); err != nil {
			return err
		}
		if err := updateReview(ctx, tx, v); err != nil {
			return err
		}
		return d.tell(ctx, tx, s, TypeReview, facts{Action: action, Issue: now, Review: &v})
	})
	return v, err
}

// dismiss takes a judgement back.
func (d *Discussions) dismiss(
	ctx context.Context, s operation.Subject, number, id int64, message string,
) (Review, error) {
	if err := checkBody(message); err != nil {
		return Review{}, refusal.Invalid("message", "message must not be empty or longer than %d characters", maxText)
	}
	if s.May < forge.Write {
		return Review{}, refusal.Forbidden("Must have write rights to Repository.")
	}
	return d.editReview(ctx, s, number, id, "dismissed", func(v *Review) error {
		if v.State != "APPROVED" && v.State != "CHANGES_REQUESTED" {
			return refusal.Invalid("review", "Can not dismiss a commented pull request review")
		}
		v.State = "DISMISSED"
		return nil
	})
}
