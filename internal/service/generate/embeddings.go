package generate

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// EmbedRequest is one text to embed.
type EmbedRequest struct {
	Model                string      `json:"model"`
	Content              api.Content `json:"content"`
	TaskType             api.Enum    `json:"taskType"`
	Title                string      `json:"title"`
	OutputDimensionality *int        `json:"outputDimensionality"`
}

// maxBatch is how many texts one call may embed.
const maxBatch = 100

// Embeddings are a vector for each request, in their order.
type Embeddings struct {
	Vectors [][]float32
	// Version names the model that made them, which need not be the one asked for.
	Version string
	Tokens  int
}

// Embed gives a vector for each request.
func (s *Service) Embed(
	ctx context.Context, caller *identity.Caller, id string, requests []EmbedRequest,
) (out Embeddings, err error) {
	m, err := s.Model(id, methodEmbed)
	if err != nil {
		return out, err
	}
	if len(requests) == 0 || len(requests) > maxBatch {
		return out, api.ErrInvalidField("requests", "must hold 1 to %d requests, not %d", maxBatch, len(requests))
	}
	place, err := s.takeCounting(ctx, ownerOf(caller), embedBytes(requests))
	if err != nil {
		return out, err
	}
	defer place.Release()
	out.Version = modelVersion(m)
	var texts []string
	for i := range requests {
		t, n, err := s.embeddable(ctx, m, id, &requests[i], fmt.Sprintf("requests[%d]", i))
		if err != nil {
			return out, err
		}
		texts, out.Tokens = append(texts, t), out.Tokens+n
	}
	if err := s.charge(ctx, caller, m, out.Tokens); err != nil {
		return out, err
	}
	vectors, err := s.backend(m).Embed(ctx, ownerOf(caller), m, texts)
	if err != nil {
		return out, err
	}
	if len(vectors) != len(requests) {
		return out, api.ErrUnavailable(nil, "the backend gave %d vectors for %d texts", len(vectors), len(requests))
	}
	for i, r := range requests {
		if r.OutputDimensionality != nil && *r.OutputDimensionality < len(vectors[i]) {
			vectors[i] = api.Unit(vectors[i][:*r.OutputDimensionality])
		}
	}
	out.Vectors = vectors
	return out, s.spend(ctx, caller, m, api.Usage{PromptTokenCount: out.Tokens})
}

// embedBytes is how much text is to be counted.
func embedBytes(requests []EmbedRequest) (n int) {
	for _, r := range requests {
		n += len(r.Title) + tokens.TextBytes(r.Content)
	}
	return n
}

// embeddable checks one request and gives its text.
func (s *Service) embeddable(
	ctx context.Context, m api.Model, id string, r *EmbedRequest, field string,
) (text string, tokens int, err error) {
	if r.Model != "" && api.ModelID(r.Model) != id {
		return "", 0, api.ErrInvalidField(field+".model", "%q is not the model of the address", r.Model)
	}
	if err := r.Content.Check(field + ".content"); err != nil {
		return "", 0, err
	}
	for _, part := range r.Content.Parts {
		if part.Text == nil {
			return "", 0, api.ErrInvalidField(field+".content", "only text can be embedded")
		}
	}
	if err := api.TaskTypes.ResolveInto(field+".taskType", &r.TaskType); err != nil {
		return "", 0, err
	}
	body := api.PlainText(r.Content.Parts)
	if r.Title != "" {
		if r.TaskType != "RETRIEVAL_DOCUMENT" {
			return "", 0, api.ErrInvalidField(field+".title", "is only for the task type RETRIEVAL_DOCUMENT")
		}
		body = r.Title + "\n" + body
	}
	if d := r.OutputDimensionality; d != nil && m.ID != id && m.Dimensions > 0 && *d > m.Dimensions {
		r.OutputDimensionality = nil // another model was asked for; this one has no more
	}
	if d := r.OutputDimensionality; d != nil && (*d < 1 || m.Dimensions > 0 && *d > m.Dimensions) {
		return "", 0, api.ErrInvalidField(field+".outputDimensionality", "must be 1 to %d, not %d", m.Dimensions, *d)
	}
	n, err := s.counter(m).Count(ctx, body, m.InputTokenLimit)
	if err == nil && n > m.InputTokenLimit && m.ID != id {
		clip := shortener{counter: s.requestCounter(m, m.InputTokenLimit, 0, "")}
		return clip.clip(ctx, body, m.InputTokenLimit)
	}
	if err == nil && n > m.InputTokenLimit {
		err = api.ErrInvalidField(field+".content",
			"has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	return body, n, err
}
