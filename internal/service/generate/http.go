package generate

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
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

	return wire.WriteJSON(w, r.Request, http.StatusOK, struct {
		TotalTokens             int                 `json:"totalTokens"`
		CachedContentTokenCount int                 `json:"cachedContentTokenCount,omitempty"`
		PromptTokensDetails     []api.ModalityCount `json:"promptTokensDetails"`
		CacheTokensDetails      []api.ModalityCount `json:"cacheTokensDetails,omitempty"`
	}{usage.PromptTokenCount, usage.CachedContentTokenCount, usage.PromptTokensDetails, usage.CacheTokensDetails})
}

type embeddingJSON struct {
	Values []float32 `json:"values"`
}

func (s *Service) handleEmbed(w http.ResponseWriter, r *route.Request) error {
	var request EmbedRequest
	if err := s.decode(r, &request); err != nil {
		return err
	}

	vectors, err := s.Embed(r.Context(), identity.From(r), r.PathValue("model"), []EmbedRequest{request})
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, map[string]embeddingJSON{"embedding": {vectors[0]}})
}

func (s *Service) handleBatchEmbed(w http.ResponseWriter, r *route.Request) error {
	var body struct {
		Model    string         `json:"model"`
		Requests []EmbedRequest `json:"requests"`
	}
	if err := s.decode(r, &body); err != nil {
		return err
	}

	vectors, err := s.Embed(r.Context(), identity.From(r), r.PathValue("model"), body.Requests)
	if err != nil {
		return err
	}

	out := make([]embeddingJSON, len(vectors))
	for i, v := range vectors {
		out[i].Values = v
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, map[string][]embeddingJSON{"embeddings": out})
}

func (s *Service) handleListModels(w http.ResponseWriter, r *route.Request) error {
	size, err := pageSize(r.Query(), 50, 1000)
	if err != nil {
		return err
	}
	start := 0
	if err := s.openPageToken(r, "models", &start); err != nil {
		return err
	}

	models := s.Models()
	start = min(max(start, 0), len(models))
	end := min(start+size, len(models))

	page := struct {
		Models        []modelJSON `json:"models"`
		NextPageToken string      `json:"nextPageToken,omitempty"`
	}{Models: []modelJSON{}}
	for _, m := range models[start:end] {
		page.Models = append(page.Models, modelToWire(m.ID, m))
	}
	if end < len(models) {
		page.NextPageToken = s.pages().Seal(end, "models")
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, page)
}

func (s *Service) handleGetModel(w http.ResponseWriter, r *route.Request) error {
	id := r.PathValue("model")

	m, err := s.Model(id, "")
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, modelToWire(id, m))
}

// pageSize reads pageSize: absent and zero mean the default, too large ones
// are lowered, negative ones refused.
func pageSize(q url.Values, defaultSize, maxSize int) (int, error) {
	raw := cmp.Or(q.Get("pageSize"), q.Get("page_size"))
	if raw == "" {
		return defaultSize, nil
	}
	n, err := strconv.Atoi(raw)
	switch {
	case err != nil || n < 0:
		return 0, api.ErrInvalidField("pageSize", "%q is not a number from 0 to %d", raw, maxSize)
	case n == 0:
		return defaultSize, nil
	}
	return min(n, maxSize), nil
}

// listPage reads a page of a list, the newest first, and the token of the next.
func listPage[T any](
	s *Service, r *route.Request, binding string, defaultSize, maxSize int,
	list func(ctx context.Context, userID int64, after files.Cursor, limit int) ([]T, error), at func(T) files.Cursor,
) (page []T, next string, err error) {
	size, err := pageSize(r.Query(), defaultSize, maxSize)
	if err != nil {
		return nil, "", err
	}
	after := files.FirstPage()
	if err := s.openPageToken(r, binding, &after); err != nil {
		return nil, "", err
	}
	page, err = list(r.Context(), identity.From(r).UserID, after, size+1)
	if err != nil || len(page) <= size {
		return page, "", err
	}
	return page[:size], s.pages().Seal(at(page[size-1]), binding), nil
}

// openPageToken reads where a page begins; without a token that stays as it is.
func (s *Service) openPageToken(r *route.Request, binding string, start any) error {
	token := r.Query().Get("pageToken")
	if token != "" && s.pages().Open(token, binding, start) != nil {
		return api.ErrInvalidField("pageToken", "is not valid for this request")
	}
	return nil
}

// writeEmpty writes the empty object that deletions answer.
func writeEmpty(w http.ResponseWriter, r *route.Request) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}
