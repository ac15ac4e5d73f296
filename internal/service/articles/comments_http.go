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
	return list(s, w, r, func(v Visit, c cut) ([]Comment, int64, error) {
		return s.Comments(r.Context(), v, r.PathValue("item_id"), c)
	}, s.showComments(r.Context()))
}

func (s *Service) handleCreateComment(w http.ResponseWriter, r *route.Request) error {
	var in commentRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	c, err := s.CreateComment(r.Context(), v, r.PathValue("item_id"), in.Body)
	return answer(w, r, http.StatusCreated, v, c, err, s.showComments(r.Context()))
}

func (s *Service) handleComment(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	c, err := s.Comment(r.Context(), v, r.PathValue("comment_id"))
	return answer(w, r, http.StatusOK, v, c, err, s.showComments(r.Context()))
}

func (s *Service) handleUpdateComment(w http.ResponseWriter, r *route.Request) error {
	var in commentRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	c, err := s.UpdateComment(r.Context(), v, r.PathValue("comment_id"), in.Body)
	return answer(w, r, http.StatusOK, v, c, err, s.showComments(r.Context()))
}

func (s *Service) handleDeleteComment(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	return done(w, s.DeleteComment(r.Context(), v, r.PathValue("comment_id")))
}
