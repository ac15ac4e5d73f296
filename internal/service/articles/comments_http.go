package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) showComments(ctx context.Context) func(Visit, []Comment) (any, error) {
	return func(_ Visit, list []Comment) (any, error) { return s.commentsToWire(ctx, list) }
}

func (s *Service) handleComments(w http.ResponseWriter, r *route.Request) error {
	take, release, err := s.rows(r)
	if err != nil {
		return err
	}
	defer release()
	return list(s, w, r, func(v Visit, c cut) ([]Comment, int64, error) {
		return s.Comments(r.Context(), v, r.PathValue("item_id"), c, take)
	}, s.showComments(r.Context()))
}

func (s *Service) handleCreateComment(w http.ResponseWriter, r *route.Request) error {
	var in commentRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Comment, error) {
		return s.CreateComment(r.Context(), v, r.PathValue("item_id"), in.Body)
	}, s.showComments(r.Context()))
}

func (s *Service) handleComment(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (Comment, error) {
		return s.Comment(r.Context(), v, r.PathValue("comment_id"))
	}, s.showComments(r.Context()))
}

func (s *Service) handleUpdateComment(w http.ResponseWriter, r *route.Request) error {
	var in commentRequest
	return put(s, w, r, http.StatusOK, &in, func(v Visit) (Comment, error) {
		return s.UpdateComment(r.Context(), v, r.PathValue("comment_id"), in.Body)
	}, s.showComments(r.Context()))
}

func (s *Service) handleDeleteComment(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.DeleteComment(r.Context(), v, r.PathValue("comment_id")) })
}
