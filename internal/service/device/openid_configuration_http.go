package device

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/wire"
)

// issuer is the address that was asked, which is who signs.
func (s *Service) issuer(r *route.Request) string {
	if r.TLS != nil && address.From(r.Context()) == nil {
		return "https://" + r.Host
	}
	return s.world.URL(r.Context())
}

func (s *Service) handleDiscovery(w http.ResponseWriter, r *route.Request) error {
	document := s.discovery(r.Context(), s.issuer(r))

	w.Header().Set("Cache-Control", "public, max-age=60")
	return wire.WriteJSON(w, r.Request, http.StatusOK, document)
}
