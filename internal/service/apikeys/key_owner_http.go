package apikeys

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleMe(w http.ResponseWriter, r *route.Request) error {
	// The mux authenticated the caller with this bearer value.
	key, _ := credential.Bearer()(r.Request)

	owner, err := s.Me(r.Context(), key.Value)
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "no-store")
	return wire.WriteJSON(w, r.Request, http.StatusOK, meToWire(owner))
}
