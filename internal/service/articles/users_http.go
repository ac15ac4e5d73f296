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
	return wire.WriteJSON(w, r.Request, http.StatusOK, s.authenticatedUserToWire(u))
}

func (s *Service) handleUser(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	p, err := s.person(r.Context(), v, r.PathValue("user_id"))
	return answer(w, r, http.StatusOK, v, p, err, func(_ Visit, p Person) (any, error) { return s.userToWire(p), nil })
}
