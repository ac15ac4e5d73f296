package articles

import "stoa.dev/stoa/internal/platform/route"

func (s Scope) handleCreateComment(r *route.Request) (Comment, error) {
	var in commentRequest
	if err := readBody(r, &in); err != nil {
		return Comment{}, err
	}
	return s.CreateComment(r.Context(), r.PathValue("item_id"), in.Body)
}

func (s Scope) handleUpdateComment(r *route.Request) (Comment, error) {
	var in commentRequest
	if err := readBody(r, &in); err != nil {
		return Comment{}, err
	}
	return s.UpdateComment(r.Context(), r.PathValue("comment_id"), in.Body)
}
