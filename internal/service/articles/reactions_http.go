package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func reactionTarget(r *route.Request) target {
	return target{item: r.PathValue("item_id"), comment: r.PathValue("comment_id")}
}

func (s *Service) showReaction(ctx context.Context) func(Visit, Reaction) (any, error) {
	look := s.looker(ctx)
	return func(_ Visit, x Reaction) (any, error) { return s.reactionToWire(look, x) }
}

func (s *Service) handleReactions(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Reaction, int64, error) {
		item, comment, err := s.find(r.Context(), s.world.DB, v, reactionTarget(r))
		if err != nil {
			return nil, 0, err
		}
		return s.store.reactions(r.Context(), s.world.DB, item, comment, c)
	}, s.showReaction(r.Context()))
}

func (s *Service) handleReact(w http.ResponseWriter, r *route.Request) error {
	var in reactionRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	x, err := s.React(r.Context(), v, reactionTarget(r), in.Name)
	return answer(w, r, http.StatusCreated, v, x, err, s.showReaction(r.Context()))
}

func (s *Service) handleUnreact(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	return done(w, s.Unreact(r.Context(), v, reactionTarget(r), r.PathValue("reaction_name")))
}

// handleActions lists what was done about the team's items.
func (s *Service) handleActions(w http.ResponseWriter, r *route.Request) error {
	look := s.looker(r.Context())
	return list(s, w, r, func(v Visit, c cut) ([]Item, int64, error) {
		query, err := parseQuery(r.URL.Query().Get("query"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.search(r.Context(), s.world.DB, v.teamID(), query, c)
	}, func(v Visit, i Item) (any, error) { return s.actionToWire(look, v, i) })
}

func (s *Service) handleCreateGroup(w http.ResponseWriter, r *route.Request) error {
	var in groupRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	g, err := s.CreateGroup(r.Context(), v, Group{URLName: in.URLName, Name: in.Name, Description: in.Description, Private: in.Private})
	return answer(w, r, http.StatusCreated, v, g, err, func(_ Visit, g Group) (any, error) { return groupToWire(&g), nil })
}
