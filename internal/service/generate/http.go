package generate

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleGenerate(w http.ResponseWriter, r *route.Request) error {
	var request Request
	if err := s.decode(r, &request); err != nil {
		return err
	}

	answer, err := s.Generate(r.Context(), identity.From(r), r.PathValue("model"), &request)
	if err != nil {
		return err
	}

	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	b, err := encodeResponse(*buffer, answer)
	if err != nil {
		return err
	}
	if cap(b) <= maxBuffer {
		*buffer = b
	}
	s.setHeader(w, dialect.ServiceTier, string(request.ServiceTier))
	return wire.WriteBytes(w, r.Request, http.StatusOK, "", b)
}

func (s *Service) handleCountTokens(w http.ResponseWriter, r *route.Request) error {
	var body struct {
		Model                  string    `json:"model"`
		Contents               []Content `json:"contents"`
		GenerateContentRequest *Request  `json:"generateContentRequest"`
	}
	if err := s.decode(r, &body); err != nil {
		return err
	}
	request := &Request{Model: body.Model, Contents: body.Contents}
	if body.GenerateContentRequest != nil {
		if len(body.Contents) > 0 {
			return errInvalid("contents", "give either contents or generateContentRequest, not both")
		}
		request = body.GenerateContentRequest
	}

	usage, err := s.CountTokens(r.Context(), identity.From(r), r.PathValue("model"), request)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, struct {
		TotalTokens             int             `json:"totalTokens"`
		CachedContentTokenCount int             `json:"cachedContentTokenCount,omitempty"`
		PromptTokensDetails     []ModalityCount `json:"promptTokensDetails"`
		CacheTokensDetails      []ModalityCount `json:"cacheTokensDetails,omitempty"`
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
	if token := r.Query().Get("pageToken"); token != "" {
		if err := s.pages().Open(token, "models", &start); err != nil {
			return errInvalid("pageToken", "is not valid for this request")
		}
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
// are pulled in, negative ones refused.
func pageSize(q url.Values, otherwise, most int) (int, error) {
	raw := q.Get("pageSize")
	if raw == "" {
		raw = q.Get("page_size")
	}
	if raw == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(raw)
	switch {
	case err != nil || n < 0:
		return 0, errInvalid("pageSize", "%q is not a number from 0 to %d", raw, most)
	case n == 0:
		return otherwise, nil
	}
	return min(n, most), nil
}

// pageStart reads the cursor of a page token; none is the first page.
func (s *Service) pageStart(r *route.Request, binding string) (cursor, error) {
	token := r.Query().Get("pageToken")
	if token == "" {
		return firstPage(), nil
	}
	var c cursor
	if err := s.pages().Open(token, binding, &c); err != nil {
		return c, errInvalid("pageToken", "is not valid for this request")
	}
	return c, nil
}

// nothing is the empty object that deletions answer.
func nothing() json.RawMessage { return json.RawMessage("{}") }
