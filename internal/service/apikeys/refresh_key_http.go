package apikeys

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleRefresh(w http.ResponseWriter, r *route.Request) error {
	var in refreshRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty(), wire.DisallowUnknown(),
		wire.RequireMediaType("application/json")); err != nil {
		return err
	}
	validity, err := in.fromWire()
	if err != nil {
		return err
	}

	// The mux authenticated the caller with this bearer value.
	old, _ := credential.Bearer()(r.Request)
	secret, err := s.Refresh(r.Context(), identity.From(r), old.Value, r.Header.Get("Idempotency-Key"), validity)
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "no-store")
	return wire.WriteJSON(w, r.Request, http.StatusOK, toWire(secret))
}
