package articles

import (
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

func reactionTarget(r *route.Request) target {
	return target{item: r.PathValue("item_id"), comment: r.PathValue("comment_id")}
}

func (s Scope) handleReactions(r *route.Request, p page.Numbers) ([]Reaction, int64, error) {
	return s.Reactions(r.Context(), reactionTarget(r), p)
}

func (s Scope) handleCreateReaction(r *route.Request) (Reaction, error) {
	var in reactionRequest
	if err := readBody(r, &in); err != nil {
		return Reaction{}, err
	}
	return s.CreateReaction(r.Context(), reactionTarget(r), in.Name)
}

func (s Scope) handleDeleteReaction(r *route.Request) error {
	return s.DeleteReaction(r.Context(), reactionTarget(r), r.PathValue("reaction_name"))
}

// handleItemActions lists what was done about the team's items.
func (s Scope) handleItemActions(r *route.Request, p page.Numbers) ([]ItemActions, int64, error) {
	return s.ItemActions(r.Context(), r.Query().Get("query"), p)
}
