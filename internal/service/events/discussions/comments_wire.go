package discussions

import "stoa.dev/stoa/internal/service/events/objects"

type commentJSON struct {
	URL               string       `json:"url"`
	HTMLURL           string       `json:"html_url"`
	IssueURL          string       `json:"issue_url"`
	ID                int64        `json:"id"`
	NodeID            string       `json:"node_id"`
	User              objects.User `json:"user"`
	CreatedAt         string       `json:"created_at"`
	UpdatedAt         string       `json:"updated_at"`
	AuthorAssociation string       `json:"author_association"`
	Body              string       `json:"body"`
}

func (v view) comment(c Comment) commentJSON {
	return commentJSON{
		URL:      v.url() + "/issues/comments/" + decimal(c.ID),
		HTMLURL:  v.page() + "/issues/" + decimal(c.Number) + "#issuecomment-" + decimal(c.ID),
		IssueURL: v.url() + "/issues/" + decimal(c.Number), ID: c.ID, NodeID: objects.NodeID("IssueComment", c.ID),
		User: actorUser(c.Author, v.base), CreatedAt: objects.Stamp(c.CreatedAt), UpdatedAt: objects.Stamp(c.UpdatedAt),
		AuthorAssociation: c.Association, Body: c.Body,
	}
}

type commitCommentJSON struct {
	HTMLURL           string       `json:"html_url"`
	URL               string       `json:"url"`
	ID                int64        `json:"id"`
	NodeID            string       `json:"node_id"`
	Body              string       `json:"body"`
	Path              *string      `json:"path"`
	Position          *int64       `json:"position"`
	Line              *int64       `json:"line"`
	CommitID          string       `json:"commit_id"`
	User              objects.User `json:"user"`
	CreatedAt         string       `json:"created_at"`
	UpdatedAt         string       `json:"updated_at"`
	AuthorAssociation string       `json:"author_association"`
}

func (v view) commitComment(c Comment) commitCommentJSON {
	return commitCommentJSON{
		HTMLURL: v.page() + "/commit/" + c.CommitID + "#commitcomment-" + decimal(c.ID),
		URL:     v.url() + "/comments/" + decimal(c.ID), ID: c.ID, NodeID: objects.NodeID("CommitComment", c.ID),
		Body: c.Body, Path: objects.OrNull(c.Path), Position: orNull(c.Position), Line: orNull(c.Line),
		CommitID: c.CommitID, User: actorUser(c.Author, v.base), CreatedAt: objects.Stamp(c.CreatedAt),
		UpdatedAt: objects.Stamp(c.UpdatedAt), AuthorAssociation: c.Association,
	}
}
