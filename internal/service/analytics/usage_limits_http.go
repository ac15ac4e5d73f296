package analytics

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleLimits(w http.ResponseWriter, r *route.Request) error {
	a, err := s.GetLimits(r.Context(), identity.From(r).UserID)
	if err != nil {
		return err
	}

	return writeData(w, r, a.toWire())
}
