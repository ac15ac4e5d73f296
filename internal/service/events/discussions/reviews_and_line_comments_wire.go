package discussions

import "stoa.dev/stoa/internal/service/events/objects"

type reviewLinksJSON struct {
	HTML        linkJSON `json:"html"`
	PullRequest linkJSON `json:"pull_request"`
}

type reviewJSON struct {
	ID                int64           `json:"id"`
	NodeID            string          `json:"node_id"`
	User              objects.User    `json:"user"`
	Body              string          `json:"body"`
	State             string          `json:"state"`
	HTMLURL           string          `json:"html_url"`
	PullRequestURL    string          `json:"pull_request_url"`
	AuthorAssociation string          `json:"author_association"`
	Links             reviewLinksJSON `json:"_links"`
	SubmittedAt       string          `json:"submitted_at"`
	CommitID          string          `json:"commit_id"`
}

func (v view) review(w Review) reviewJSON {
	pull := v.url() + "/pulls/" + decimal(w.Number)
	html := v.page() + "/pull/" + decimal(w.Number) + "#pullrequestreview-" + decimal(w.ID)
	return reviewJSON{
		ID: w.ID, NodeID: objects.NodeID("PullRequestReview", w.ID), User: actorUser(w.Author, v.base), Body: w.Body,
		State: w.State, HTMLURL: html, PullRequestURL: pull, AuthorAssociation: w.Association,
		Links: reviewLinksJSON{linkJSON{html}, linkJSON{pull}}, SubmittedAt: objects.Stamp(w.SubmittedAt),
		CommitID: w.CommitID,
	}
}

type lineLinksJSON struct {
	Self        linkJSON `json:"self"`
	HTML        linkJSON `json:"html"`
	PullRequest linkJSON `json:"pull_request"`
}

type lineCommentJSON struct {
	URL                 string        `json:"url"`
	PullRequestReviewID *int64        `json:"pull_request_review_id"`
	ID                  int64         `json:"id"`
	NodeID              string        `json:"node_id"`
	DiffHunk            string        `json:"diff_hunk"`
	Path                string        `json:"path"`
	Position            int64         `json:"position"`
	OriginalPosition    int64         `json:"original_position"`
	CommitID            string        `json:"commit_id"`
	OriginalCommitID    string        `json:"original_commit_id"`
	InReplyToID         int64         `json:"in_reply_to_id,omitempty"`
	User                objects.User  `json:"user"`
	Body                string        `json:"body"`
	CreatedAt           string        `json:"created_at"`
	UpdatedAt           string        `json:"updated_at"`
	HTMLURL             string        `json:"html_url"`
	PullRequestURL      string        `json:"pull_request_url"`
	AuthorAssociation   string        `json:"author_association"`
	Links               lineLinksJSON `json:"_links"`
	StartLine           *int64        `json:"start_line"`
	OriginalStartLine   *int64        `json:"original_start_line"`
	StartSide           *string       `json:"start_side"`
	Line                int64         `json:"line"`
	OriginalLine        int64         `json:"original_line"`
	Side                string        `json:"side"`
	SubjectType         string        `json:"subject_type"`
}

func (v view) lineComment(c Comment) lineCommentJSON {
	at, pull := v.url()+"/pulls/comments/"+decimal(c.ID), v.url()+"/pulls/"+decimal(c.Number)
	html := v.page() + "/pull/" + decimal(c.Number) + "#discussion_r" + decimal(c.ID)
	return lineCommentJSON{
		URL: at, PullRequestReviewID: orNull(c.ReviewID), ID: c.ID, NodeID: objects.NodeID("PullRequestReviewComment", c.ID),
		DiffHunk: c.Hunk, Path: c.Path, Position: c.Position, OriginalPosition: c.Position, CommitID: c.CommitID,
		OriginalCommitID: c.CommitID, InReplyToID: c.ReplyTo, User: actorUser(c.Author, v.base), Body: c.Body,
		CreatedAt: objects.Stamp(c.CreatedAt), UpdatedAt: objects.Stamp(c.UpdatedAt), HTMLURL: html, PullRequestURL: pull,
		AuthorAssociation: c.Association, Links: lineLinksJSON{linkJSON{at}, linkJSON{html}, linkJSON{pull}},
		Line: c.Line, OriginalLine: c.Line, Side: c.Side, SubjectType: "line",
	}
}
