package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleItem(w http.ResponseWriter, r *route.Request) error {
	return s.respondItem(w, r, http.StatusOK, func(scope Scope) ([]byte, error) {
		return scope.itemJSON(r.Context(), r.PathValue("item_id"))
	})
}

func (s *Service) handleCreateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	return s.respondItem(w, r, http.StatusCreated, func(scope Scope) ([]byte, error) {
		return scope.writtenItemJSON(r.Context())(scope.CreateItem(r.Context(), in))
	})
}

func (s *Service) handleUpdateItem(w http.ResponseWriter, r *route.Request) error {
	var in itemRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	return s.respondItem(w, r, http.StatusOK, func(scope Scope) ([]byte, error) {
		return scope.writtenItemJSON(r.Context())(scope.UpdateItem(r.Context(), r.PathValue("item_id"), in))
	})
}

// respondItem responds with one item, which is encoded already.
func (s *Service) respondItem(w http.ResponseWriter, r *route.Request, status int,
	item func(Scope) ([]byte, error),
) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	defer scope.close()
	body, err := item(scope)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, status, "", body)
}

func (s Scope) handleItems(r *route.Request, p page.Numbers) ([]int64, int64, error) {
	return s.Search(r.Context(), r.Query().Get("query"), p)
}

func (s Scope) handleOwnItems(r *route.Request, p page.Numbers) ([]int64, int64, error) {
	return s.OwnItems(r.Context(), p)
}
