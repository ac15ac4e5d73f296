package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleAuthenticatedUser(w http.ResponseWriter, r *route.Request) error {
	u, err := s.AuthenticatedUser(r.Context(), identity.From(r))
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, "", s.authenticatedUserToWire(u))
}
