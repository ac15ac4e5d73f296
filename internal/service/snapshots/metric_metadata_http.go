package snapshots

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleGetMetadata(w http.ResponseWriter, r *route.Request) error {
	m, err := s.Metadata(r.Context(), tenantOf(identity.From(r)), r.PathValue("metric"))
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, metadataToWire(m))
}

func (s *Service) handlePutMetadata(w http.ResponseWriter, r *route.Request) error {
	var in metadataRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	m, err := s.EditMetadata(r.Context(), tenantOf(identity.From(r)), r.PathValue("metric"), in.apply)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, metadataToWire(m))
}
