package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// What the command-line tool of the real service asks for besides the contract.

// handleCampaigns lists the posting campaigns: there are none.
func (s *Service) handleCampaigns(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(Visit, cut) ([]int64, int64, error) { return nil, 0, nil }, each(func(_ Visit, n int64) any { return n }))
}

func (s *Service) handleCampaign(http.ResponseWriter, *route.Request) error { return errNotFound() }

// previewRoute renders a text without keeping it.
func (s *Service) previewRoute() route.Route {
	return route.Route{
		Method: "POST", Pattern: previewPath, Name: "preview.create", Access: route.Optional,
		Tags: map[string]string{tagNeed: needOwn}, Handle: s.handlePreview,
	}
}

// previewPath is outside the contract's prefix, as it is at the real service.
const previewPath = "/api/preview"

func (s *Service) handlePreview(w http.ResponseWriter, r *route.Request) error {
	var in previewRequest
	if err := body(r, &in); err != nil {
		return err
	}
	if identity.From(r) == nil {
		return route.ErrNoCredential
	}
	text, err := s.markdown.Render(r.Context(), r.Owner(), in.RawBody)
	if err != nil {
		return err
	}
	// Nobody is meant to open this in a browser; if somebody does, it is inert.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/html; charset=utf-8", []byte(text))
}
