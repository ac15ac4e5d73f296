package generate

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type embeddingJSON struct {
	Values []float32 `json:"values"`
}

// embedUsageJSON counts what was embedded.
type embedUsageJSON struct {
	PromptTokenCount int `json:"promptTokenCount"`
	TotalTokenCount  int `json:"totalTokenCount"`
}

func (s *Service) handleEmbed(w http.ResponseWriter, r *route.Request) error {
	var request EmbedRequest
	if err := s.decode(r, &request); err != nil {
		return err
	}

	made, err := s.Embed(r.Context(), identity.From(r), r.PathValue("model"), []EmbedRequest{request})
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, embedJSON{
		embeddingJSON{made.Vectors[0]}, embedUsageJSON{made.Tokens, made.Tokens}, made.Version,
	})
}

func (s *Service) handleBatchEmbed(w http.ResponseWriter, r *route.Request) error {
	var body struct {
		Model    string         `json:"model"`
		Requests []EmbedRequest `json:"requests"`
	}
	if err := s.decode(r, &body); err != nil {
		return err
	}

	made, err := s.Embed(r.Context(), identity.From(r), r.PathValue("model"), body.Requests)
	if err != nil {
		return err
	}

	out := make([]embeddingJSON, len(made.Vectors))
	for i, v := range made.Vectors {
		out[i].Values = v
	}
	answer := batchEmbedJSON{out, embedUsageJSON{made.Tokens, made.Tokens}, made.Version}
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer)
}
