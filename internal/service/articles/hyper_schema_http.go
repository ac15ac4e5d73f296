package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// handleSchema responds with the description of the API. The locale that clients
// may ask for changes nothing.
func (s *Service) handleSchema(w http.ResponseWriter, r *route.Request) error {
	text, err := s.schema()
	if err != nil {
		return err
	}
	etag := wire.ETag(text)
	w.Header().Set("ETag", etag)
	if wire.NotModified(w, r.Request, etag) {
		return nil
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/schema+json; charset=utf-8", text)
}
