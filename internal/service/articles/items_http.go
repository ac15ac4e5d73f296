package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// showItems writes items that are named by their numbers.
func (s *Service) showItems(ctx context.Context) func(Visit, []int64) (any, error) {
	return func(v Visit, numbers []int64) (any, error) {
		docs, err := s.documents(ctx, v.Place, numbers)
		if err != nil {
			return nil, err
		}
		return s.encodeList(ctx, docs)
	}
}

// answerItem writes an item that was just written, with its tags.
func (s *Service) answerItem(w http.ResponseWriter, r *route.Request, status int, v Visit, i Item, err error) error {
	if err != nil {
		return err
	}
	docs, err := s.shapes(r.Context(), v.Place, []Item{i})
	if err != nil {
		return err
	}
	text, err := s.encodeOne(r.Context(), docs[0])
	if err != nil {
		return err
	}
	return write(w, r, status, text)
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
	return s.answerItem(w, r, http.StatusCreated, v, i, err)
}

func (s *Service) handleItem(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	d, err := s.document(r.Context(), v, r.PathValue("item_id"))
	if err != nil {
		return err
	}
	text, err := s.encodeOne(r.Context(), d)
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK, text)
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
	return s.answerItem(w, r, http.StatusOK, v, i, err)
}

func (s *Service) handleDeleteItem(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	return done(w, s.DeleteItem(r.Context(), v, r.PathValue("item_id")))
}

func (s *Service) handleItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.Search(r.Context(), v, r.URL.Query().Get("query"), c)
	}, s.showItems(r.Context()))
}

func (s *Service) handleOwnItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.store.itemsOf(r.Context(), s.world.DB, sight{v.teamID(), v.userID(), true}, v.userID(), c)
	}, s.showItems(r.Context()))
}

func (s *Service) handleUserItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.ItemsOf(r.Context(), v, u.ID, c)
	}, s.showItems(r.Context()))
}
