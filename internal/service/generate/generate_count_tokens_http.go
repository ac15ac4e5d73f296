package generate

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

func (s *Service) handleGenerate(w http.ResponseWriter, r *route.Request) error {
	var request api.Request
	if err := s.decode(r, &request); err != nil {
		return err
	}

	answer, err := s.Generate(r.Context(), identity.From(r), r.PathValue("model"), &request)
	if err != nil {
		return err
	}

	s.setHeader(w, dialect.ServiceTier, string(request.ServiceTier))
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer)
}

func (s *Service) handleCountTokens(w http.ResponseWriter, r *route.Request) error {
	var body struct {
		Model                  string        `json:"model"`
		Contents               []api.Content `json:"contents"`
		GenerateContentRequest *api.Request  `json:"generateContentRequest"`
	}
	if err := s.decode(r, &body); err != nil {
		return err
	}
	request := &api.Request{Model: body.Model, Contents: body.Contents}
	if body.GenerateContentRequest != nil {
		if len(body.Contents) > 0 {
			return api.ErrInvalidField("contents", "give either contents or generateContentRequest, not both")
		}
		request = body.GenerateContentRequest
	}

	usage, err := s.CountTokens(r.Context(), identity.From(r), r.PathValue("model"), request)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, tokenCountJSON{
		usage.PromptTokenCount, usage.CachedContentTokenCount, usage.PromptTokensDetails, usage.CacheTokensDetails,
	})
}
