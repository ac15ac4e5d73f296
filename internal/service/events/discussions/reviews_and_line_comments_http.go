package discussions

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/operation"
)

type lineRequest struct {
	Body      string `json:"body"`
	Path      string `json:"path"`
	Line      int64  `json:"line"`
	Side      string `json:"side"`
	CommitID  string `json:"commit_id"`
	InReplyTo int64  `json:"in_reply_to"`
}

func (in lineRequest) comment() lineComment {
	return lineComment{
		body: in.Body, path: in.Path, line: in.Line, side: in.Side, commit: in.CommitID, replyTo: in.InReplyTo,
	}
}

type reviewRequest struct {
	Body     string        `json:"body"`
	Event    string        `json:"event"`
	CommitID string        `json:"commit_id"`
	Comments []lineRequest `json:"comments"`
}

type dismissRequest struct {
	Message string `json:"message"`
}

func (d *Discussions) handleReviews(r *route.Request) (result, error) {
	s, issue, err := d.readingPull(r)
	if err != nil {
		return result{}, err
	}
	at := d.host.Page(r)
	list, total, err := listReviews(r.Context(), d.host.DB, s.Repo.ID, issue.Number, at.Size, at.Offset)
	out := []reviewJSON{}
	for _, v := range list {
		out = append(out, viewOf(s).review(v))
	}
	return operation.ListOf(out, total), err
}

// handleCreateReview judges a pull request, at once.
func (d *Discussions) handleCreateReview(r *route.Request) (result, error) {
	var in reviewRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	var lines []lineComment
	for _, l := range in.Comments {
		lines = append(lines, l.comment())
	}
	v := Review{State: reviewStates()[in.Event], Body: in.Body, CommitID: in.CommitID}
	if v, err = d.review(r.Context(), s, number, v, lines); err != nil {
		return result{}, err
	}
	return operation.OK(viewOf(s).review(v)), nil
}

func (d *Discussions) handleReview(r *route.Request) (result, error) {
	s, v, err := d.readingReview(r)
	return operation.OK(viewOf(s).review(v)), err
}

func (d *Discussions) readingReview(r *route.Request) (s operation.Subject, v Review, err error) {
	s, issue, err := d.readingPull(r)
	if err != nil {
		return s, v, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return s, v, err
	}
	v, err = reviewByID(r.Context(), d.host.DB, s.Repo.ID, issue.Number, id)
	return s, v, found(err)
}

// handleUpdateReview gives a review another text, for its author.
func (d *Discussions) handleUpdateReview(r *route.Request) (result, error) {
	var in bodyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	if err := checkBody(in.Body); err != nil {
		return result{}, err
	}
	v, err := d.editReview(r.Context(), s, number, id, "updated", func(v *Review) error {
		v.Body = in.Body
		return mayEdit(s, v.Author)
	})
	return operation.OK(viewOf(s).review(v)), err
}

func (d *Discussions) handleDismissReview(r *route.Request) (result, error) {
	var in dismissRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Write, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	v, err := d.dismiss(r.Context(), s, number, id, in.Message)
	return operation.OK(viewOf(s).review(v)), err
}

// handleReviewComments lists the comments that a review brought.
func (d *Discussions) handleReviewComments(r *route.Request) (result, error) {
	s, v, err := d.readingReview(r)
	if err != nil {
		return result{}, err
	}
	return d.list(r, s, aboutLines(), commentQuery{number: v.Number, reviewID: v.ID})
}

func (d *Discussions) handleAllLineComments(r *route.Request) (result, error) {
	return d.all(r, aboutLines())
}

func (d *Discussions) handleLineComment(r *route.Request) (result, error) {
	return d.one(r, aboutLines())
}

func (d *Discussions) handleUpdateLineComment(r *route.Request) (result, error) {
	var in bodyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	return d.change(r, aboutLines(), in.Body)
}

func (d *Discussions) handleDeleteLineComment(r *route.Request) (result, error) {
	return d.remove(r, aboutLines())
}

// handleLineComments lists the comments on lines of a pull request.
func (d *Discussions) handleLineComments(r *route.Request) (result, error) {
	s, issue, err := d.readingPull(r)
	if err != nil {
		return result{}, err
	}
	return d.list(r, s, aboutLines(), commentQuery{number: issue.Number})
}

// handleCreateLineComment comments on a line, or answers a comment.
func (d *Discussions) handleCreateLineComment(r *route.Request) (result, error) {
	var in lineRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	c, err := d.commentOnLine(r.Context(), s, number, in.comment())
	out := viewOf(s).lineComment(c)
	return operation.Created(out, out.URL), err
}
