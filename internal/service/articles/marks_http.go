package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// handleMark sets or clears a mark of the caller's on an item.
func (s *Service) handleMark(m mark, on bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return s.act(w, r, func(v Visit) error { return s.MarkItem(r.Context(), v, r.PathValue("item_id"), m, on) })
	}
}

func (s *Service) handleMarked(m mark) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return s.act(w, r, func(v Visit) error { return s.Marked(r.Context(), v, r.PathValue("item_id"), m) })
	}
}

func (s *Service) handleFollow(on bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return s.act(w, r, func(v Visit) error { return s.FollowTag(r.Context(), v, r.PathValue("tag_id"), on) })
	}
}

func (s *Service) handleFollowing(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (Tag, error) {
		t, err := s.seeTag(r, v)
		if err != nil {
			return t, err
		}
		return t, s.marked(r.Context(), followMark(), t.Number, v.userID())
	}, each(showTag))
}

func (s *Service) handleLikes(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Like, int64, error) {
		i, err := s.see(r.Context(), s.world.DB, v, r.PathValue("item_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.likes(r.Context(), s.world.DB, i.Number, c)
	}, func(_ Visit, likes []Like) (any, error) { return s.likesToWire(r.Context(), likes) })
}

func (s *Service) handleStocks(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		t, err := s.sight(r.Context(), v)
		if err != nil {
			return nil, 0, err
		}
		return s.store.stocked(r.Context(), s.world.DB, t, u.ID, c)
	}, s.showItems(r))
}

func (s *Service) handleFollowingTags(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Tag, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.followed(r.Context(), s.world.DB, v.teamID(), u.ID, c)
	}, each(showTag))
}

func (s *Service) handleAddTagging(w http.ResponseWriter, r *route.Request) error {
	var in Tagging
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Tagging, error) {
		return s.AddTagging(r.Context(), v, r.PathValue("item_id"), in)
	}, each(func(_ Visit, t Tagging) any { return t }))
}

func (s *Service) handleRemoveTagging(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error {
		return s.RemoveTagging(r.Context(), v, r.PathValue("item_id"), r.PathValue("tagging_id"))
	})
}
