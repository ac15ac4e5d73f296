package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleListLists(r *route.Request, userID int64) (string, any, error) {
	size, after, err := readPage[listCursor](s, r, maxListPage, maxListPage)
	if err != nil {
		return "", nil, err
	}

	lists, err := s.ListLists(r.Context(), userID, after, size+1)
	if err != nil {
		return "", nil, err
	}

	page := s.listsToWire(r, lists, size)
	return page.Etag, page, nil
}

func (s *Service) handleGetList(r *route.Request, userID int64) (string, any, error) {
	list, err := s.GetList(r.Context(), userID, r.PathValue("tasklist"))
	return list.etag(), listToWire(list, s.world.URL(r.Context())), err
}

func (s *Service) handleInsertList(w http.ResponseWriter, r *route.Request) error {
	var in listRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	list, err := s.InsertList(r.Context(), identity.From(r).UserID, in.Title.Value)
	if err != nil {
		return err
	}

	return s.writeList(w, r, list)
}

// handlePatchList changes the title when one is sent.
func (s *Service) handlePatchList(w http.ResponseWriter, r *route.Request) error {
	var in listRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	return s.updateList(w, r, ListChange{Title: in.Title})
}

// handleUpdateList replaces the title, by nothing when none is sent.
func (s *Service) handleUpdateList(w http.ResponseWriter, r *route.Request) error {
	var in listRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	return s.updateList(w, r, ListChange{ID: in.ID.Value, Title: wire.Some(in.Title.Value)})
}

func (s *Service) updateList(w http.ResponseWriter, r *route.Request, c ListChange) error {
	list, err := s.UpdateList(r.Context(), identity.From(r).UserID,
		r.PathValue("tasklist"), wire.IfMatch(r.Request), c)
	if err != nil {
		return err
	}
	return s.writeList(w, r, list)
}

func (s *Service) handleDeleteList(w http.ResponseWriter, r *route.Request) error {
	err := s.DeleteList(r.Context(), identity.From(r).UserID, r.PathValue("tasklist"), wire.IfMatch(r.Request))
	if err != nil {
		return err
	}

	wire.NoContent(w, http.StatusNoContent)
	return nil
}
