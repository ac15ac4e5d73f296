package generate

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleListModels(w http.ResponseWriter, r *route.Request) error {
	size, err := pageSize(r.Query(), 50, 1000)
	if err != nil {
		return err
	}
	start := 0
	if err := s.openPageToken(r, "models", &start); err != nil {
		return err
	}

	models := s.Models()
	start = min(max(start, 0), len(models))
	end := min(start+size, len(models))

	page := modelsJSON{Models: []modelJSON{}}
	for _, m := range models[start:end] {
		page.Models = append(page.Models, modelToWire(m.ID, m))
	}
	if end < len(models) {
		page.NextPageToken = s.pages().Seal(end, "models")
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, page)
}

func (s *Service) handleGetModel(w http.ResponseWriter, r *route.Request) error {
	id := r.PathValue("model")

	m, err := s.Model(id, "")
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, modelToWire(id, m))
}
