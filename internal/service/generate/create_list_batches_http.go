package generate

import (
	"encoding/json"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/batches"
	"stoa.dev/stoa/internal/service/generate/files"
)

// decodeBatch is decode without one object for a list: requests stand in an object here.
func (s *Service) decodeBatch(r *route.Request, dst *batches.CreateRequest) error {
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return err
	}
	named, written := api.CamelNames(raw, s.brand)
	r.Told = written.Over(s.shown)
	return wire.DecodeJSON(named, dst, wire.DisallowUnknown())
}

func (s *Service) handleBatchGenerate(w http.ResponseWriter, r *route.Request) error {
	var body batches.CreateRequest
	if err := s.decodeBatch(r, &body); err != nil {
		return err
	}
	made, err := s.batches.CreateFrom(r.Context(), identity.From(r), body, r.PathValue("model"), batches.GenerateContent)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, made)
}

func (s *Service) handleAsyncEmbed(w http.ResponseWriter, r *route.Request) error {
	var body batches.CreateRequest
	if err := s.decodeBatch(r, &body); err != nil {
		return err
	}
	made, err := s.batches.CreateFrom(r.Context(), identity.From(r), body, r.PathValue("model"), batches.EmbedContent)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, made)
}

func (s *Service) handleListBatches(w http.ResponseWriter, r *route.Request) error {
	list, next, err := listPage(s, r, "batches", 50, 1000, s.batches.List, func(b batches.Batch) files.Cursor {
		return files.Cursor{CreatedAt: b.CreatedAt, ID: b.ID}
	})
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, batches.Page(list, next))
}
