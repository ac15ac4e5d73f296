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

// Embed gives a vector for each request, in their order.
func (s *Service) Embed(
	ctx context.Context, caller *identity.Caller, id string, requests []EmbedRequest,
) ([][]float32, error) {
	m, err := s.Model(id, methodEmbed)
	if err != nil {
		return nil, err
	}
	if len(requests) == 0 || len(requests) > maxBatch {
		return nil, api.ErrInvalidField("requests", "must hold 1 to %d requests, not %d", maxBatch, len(requests))
	}
	place, err := s.takeCounting(ctx, ownerOf(caller), embedBytes(requests))
	if err != nil {
		return nil, err
	}
	defer place.Release()
	var texts []string
	tokens := 0
	for i := range requests {
		t, n, err := s.embeddable(ctx, m, id, &requests[i], fmt.Sprintf("requests[%d]", i))
		if err != nil {
			return nil, err
		}
		texts, tokens = append(texts, t), tokens+n
	}
	if err := s.charge(ctx, caller, m, tokens); err != nil {
		return nil, err
	}
	vectors, err := s.backend(m).Embed(ctx, ownerOf(caller), m, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(requests) {
		return nil, api.ErrUnavailable(nil, "the backend gave %d vectors for %d texts", len(vectors), len(requests))
	}
	for i, r := range requests {
		if r.OutputDimensionality != nil && *r.OutputDimensionality < len(vectors[i]) {
			vectors[i] = api.Unit(vectors[i][:*r.OutputDimensionality])
		}
	}
	return vectors, s.spend(ctx, caller, m, api.Usage{PromptTokenCount: tokens})
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
	if d := r.OutputDimensionality; d != nil && (*d < 1 || m.Dimensions > 0 && *d > m.Dimensions) {
		return "", 0, api.ErrInvalidField(field+".outputDimensionality", "must be 1 to %d, not %d", m.Dimensions, *d)
	}
	n, err := s.counter(m).Count(ctx, body, m.InputTokenLimit)
	if err == nil && n > m.InputTokenLimit {
		err = api.ErrInvalidField(field+".content",
			"has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	return body, n, err
}
