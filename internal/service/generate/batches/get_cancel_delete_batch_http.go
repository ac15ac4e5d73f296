package batches

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Routes are the operations on a batch that is there.
func (s *Service) Routes() []route.Route {
	const batch = "/v1beta/batches/{batch}"
	return []route.Route{
		{Method: "GET", Pattern: batch, Name: "batches.get", Access: route.Required, Handle: s.handleGet},
		{Method: "POST", Pattern: batch + ":cancel", Name: "batches.cancel", Access: route.Required, Handle: s.handleCancel},
		{Method: "DELETE", Pattern: batch, Name: "batches.delete", Access: route.Required, Handle: s.handleDelete},
	}
}

func (s *Service) handleGet(w http.ResponseWriter, r *route.Request) error {
	b, err := s.Get(r.Context(), identity.From(r).UserID, r.PathValue("batch"))
	if err != nil {
		return err
	}
	var results []Item
	if b.Done() && b.OutputFile == "" {
		// The rows, and the text that is made of them.
		memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 2*b.Size)
		if err != nil {
			return err
		}
		defer memory.Release()
		if results, err = s.Results(r.Context(), b); err != nil {
			return err
		}
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, b.toWire(results))
}

// Page is a page of batches, without their results.
func Page(list []Batch, next string) ListJSON {
	page := ListJSON{NextPageToken: next}
	for _, b := range list {
		page.Operations = append(page.Operations, b.toWire(nil))
	}
	return page
}

// handleCancel takes no members.
func (s *Service) handleCancel(w http.ResponseWriter, r *route.Request) error {
	if r.ContentLength != 0 {
		if err := wire.ReadJSON(r.Request, &struct{}{}, wire.DisallowUnknown()); err != nil {
			return err
		}
	}
	if err := s.Cancel(r.Context(), identity.From(r).UserID, r.PathValue("batch")); err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}

func (s *Service) handleDelete(w http.ResponseWriter, r *route.Request) error {
	if err := s.Delete(r.Context(), identity.From(r).UserID, r.PathValue("batch")); err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}
