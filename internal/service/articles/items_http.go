package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// pieceItems is how many items are read at once where nobody knows how long they
// are.
const pieceItems = 10

// showItems writes items that are named by their numbers.
func (s *Service) showItems(r *route.Request) func(Visit, []int64) (any, error) {
	ctx := r.Context()
	return func(v Visit, numbers []int64) (any, error) {
		step := pieceItems
		if s.shelf.holds(numbers) {
			step = len(numbers)
		}
		return pieces{numbers, step, func(part []int64) (encoded, error) {
			take, release, err := s.rows(r)
			if err != nil {
				return nil, err
			}
			defer release() // what was sent is gone, and what waits to be is bounded
			docs, err := s.documents(ctx, v.Place, part, take)
			if err != nil {
				return nil, err
			}
			return s.encodeList(ctx, docs, take)
		}}, nil
	}
}

// showWritten writes an item that was just written, with its tags.
func (s *Service) showWritten(ctx context.Context) func(Visit, []Item) (any, error) {
	return func(v Visit, items []Item) (any, error) {
		docs, err := s.shapes(ctx, v.Place, items)
		if err != nil {
			return nil, err
		}
		return s.encodeList(ctx, docs, anything)
	}
}

func (s *Service) handleCreateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Item, error) {
		return s.CreateItem(r.Context(), v, in.toItem())
	}, s.showWritten(r.Context()))
}

func (s *Service) handleItem(w http.ResponseWriter, r *route.Request) error {
	take, release, err := s.rows(r)
	if err != nil {
		return err
	}
	defer release()
	return one(s, w, r, func(v Visit) (*document, error) {
		return s.document(r.Context(), v, r.PathValue("item_id"), take)
	}, func(_ Visit, docs []*document) (any, error) { return s.encodeList(r.Context(), docs, take) })
}

func (s *Service) handleUpdateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	return put(s, w, r, http.StatusOK, &in, func(v Visit) (Item, error) {
		return s.UpdateItem(r.Context(), v, r.PathValue("item_id"), in.toItem())
	}, s.showWritten(r.Context()))
}

func (s *Service) handleDeleteItem(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.DeleteItem(r.Context(), v, r.PathValue("item_id")) })
}

func (s *Service) handleItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.Search(r.Context(), v, r.Query().Get("query"), c)
	}, s.showItems(r))
}

func (s *Service) handleOwnItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.store.itemsOf(r.Context(), s.world.DB, sight{v.teamID(), v.userID(), true}, v.userID(), c)
	}, s.showItems(r))
}

func (s *Service) handleUserItems(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.ItemsOf(r.Context(), v, u.ID, c)
	}, s.showItems(r))
}
