package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// showItem and its like fill in what a row does not hold. People and groups
// are looked up once an answer.
func (s *Service) showItem(ctx context.Context) func(Visit, Item) (any, error) {
	look := s.looker(ctx)
	return func(v Visit, i Item) (any, error) { return s.itemToWire(look, v, i) }
}

func (s *Service) handleCreateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	i, err := s.CreateItem(r.Context(), v, in.toItem())
	return answer(w, r, http.StatusCreated, v, i, err, s.showItem(r.Context()))
}

func (s *Service) handleItem(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	i, err := s.Item(r.Context(), v, r.PathValue("item_id"))
	return answer(w, r, http.StatusOK, v, i, err, s.showItem(r.Context()))
}

func (s *Service) handleUpdateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	i, err := s.UpdateItem(r.Context(), v, r.PathValue("item_id"), in.toItem())
	return answer(w, r, http.StatusOK, v, i, err, s.showItem(r.Context()))
}

func (s *Service) handleDeleteItem(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	return done(w, s.DeleteItem(r.Context(), v, r.PathValue("item_id")))
}

func (s *Service) handleItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Item, int64, error) {
		query, err := parseQuery(r.URL.Query().Get("query"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.search(r.Context(), s.world.DB, v.teamID(), query, c)
	}, s.showItem(r.Context()))
}

func (s *Service) handleOwnItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Item, int64, error) {
		return s.store.itemsOf(r.Context(), s.world.DB, v.teamID(), v.userID(), v.userID(), c)
	}, s.showItem(r.Context()))
}

func (s *Service) handleUserItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Item, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.itemsOf(r.Context(), s.world.DB, v.teamID(), u.ID, 0, c)
	}, s.showItem(r.Context()))
}
