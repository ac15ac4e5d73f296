package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleTags(w http.ResponseWriter, r *route.Request) error {
	order, ok := tagOrder(r.Query().Get("sort"))
	if !ok {
		return errBad("sort must be count or name")
	}
	return list(s, w, r, func(v Visit, c cut) ([]Tag, int64, error) {
		return s.store.tags(r.Context(), s.world.DB, v.teamID(), order, c)
	}, each(showTag))
}

// seeTag finds the tag of the path.
func (s *Service) seeTag(r *route.Request, v Visit) (Tag, error) {
	return s.store.tag(r.Context(), s.world.DB, v.teamID(), fold(r.PathValue("tag_id")))
}

func (s *Service) handleTag(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (Tag, error) { return s.seeTag(r, v) }, each(showTag))
}

func (s *Service) handleTagItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		t, err := s.seeTag(r, v)
		if err != nil {
			return nil, 0, err
		}
		return s.ItemsTagged(r.Context(), v, t, c)
	}, s.showItems(r))
}
