package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/pictures"
)

// previewPath is what the command-line tool of the real service asks for, outside the contract's prefix.
const previewPath = "/api/preview"

type previewRequest struct {
	RawBody string `json:"raw_body"`
}

// handlePreview renders a text without keeping it.
func (s *Service) handlePreview(w http.ResponseWriter, r *route.Request) error {
	var in previewRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	if identity.From(r) == nil {
		return route.ErrNoCredential
	}
	text, err := s.markdown.Render(r.Context(), r.Owner(), in.RawBody)
	if err != nil {
		return err
	}
	// A browser that opens this runs nothing of it.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	text = pictures.Absolute(text, s.world.URL(r.Context()))
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/html; charset=utf-8", []byte(text))
}

// handleCampaigns lists the posting campaigns: there are none.
func (s Scope) handleCampaigns(*route.Request, page.Numbers) ([]struct{}, int64, error) {
	return nil, 0, nil
}

func (s *Service) handleCampaign(http.ResponseWriter, *route.Request) error {
	return errNotFound()
}
