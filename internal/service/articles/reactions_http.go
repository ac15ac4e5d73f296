package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func reactionTarget(r *route.Request) target {
	return target{item: r.PathValue("item_id"), comment: r.PathValue("comment_id")}
}

func (s *Service) showReactions(ctx context.Context) func(Visit, []Reaction) (any, error) {
	return func(_ Visit, list []Reaction) (any, error) {
		shown, err := s.reactionsToWire(ctx, list)
		out := make([]any, len(shown))
		for n := range shown {
			out[n] = shown[n]
		}
		return out, err
	}
}

func (s *Service) handleReactions(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Reaction, int64, error) {
		item, comment, err := s.find(r.Context(), s.world.DB, v, reactionTarget(r))
		if err != nil {
			return nil, 0, err
		}
		return s.store.reactions(r.Context(), s.world.DB, item, comment, c)
	}, s.showReactions(r.Context()))
}

func (s *Service) handleReact(w http.ResponseWriter, r *route.Request) error {
	var in reactionRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Reaction, error) {
		return s.React(r.Context(), v, reactionTarget(r), in.Name)
	}, s.showReactions(r.Context()))
}

func (s *Service) handleUnreact(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.Unreact(r.Context(), v, reactionTarget(r), r.PathValue("reaction_name")) })
}

// handleActions lists what was done about the team's items.
func (s *Service) handleActions(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.Search(r.Context(), v, r.Query().Get("query"), c)
	}, func(v Visit, numbers []int64) (any, error) { return s.actionsToWire(r.Context(), v, numbers) })
}
