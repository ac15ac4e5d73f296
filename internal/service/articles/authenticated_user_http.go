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
	return wire.WriteBytes(w, r.Request, http.StatusOK, "", s.authenticatedUserToWire(s.world.URL(r.Context()), u))
}

// handleUpdateAuthenticatedUser changes what the caller says of themselves.
func (s *Service) handleUpdateAuthenticatedUser(w http.ResponseWriter, r *route.Request) error {
	var change map[string]*string
	if err := readBody(r, &change); err != nil {
		return err
	}
	if _, err := s.profiles.Set(r.Context(), identity.From(r).UserID, change); err != nil {
		return err
	}
	return s.handleAuthenticatedUser(w, r)
}
