package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
)

// Backend asks servers of this API.
type Backend struct{ *upstream.Client }

// New makes a Backend that sends its key in the headers.
func New(c upstream.Config, gate *outbound.Gate, keyHeaders ...string) Backend {
	return Backend{upstream.NewClient(c, gate, keyHeaders...)}
}

// Generate asks for one candidate. Tries are repeated until the first piece
// has been passed on, never after.
func (b Backend) Generate(ctx context.Context, p *api.Prompt, candidate int, emit func(api.Piece) error) error {
	request, err := newRequest(ctx, p, candidate)
	if err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the prompt for the upstream: %w", err)
	}
	path := "/models/" + api.ModelID(p.Model.NameUpstream()) + ":streamGenerateContent?alt=sse"
	var r reader
	return b.Try(ctx, p.Owner, func(base string) error {
		r = reader{prompt: p, emit: emit}
		return b.Read(ctx, base, path, body, func(answer io.Reader, _ string) error {
			return upstream.ReadEvents(answer, r.chunk, func() bool { return r.ended })
		})
	}, func() bool { return r.begun })
}

// Embed asks for all vectors at once.
func (b Backend) Embed(ctx context.Context, owner budget.Owner, m api.Model, texts []string) ([][]float32, error) {
	name := "/models/" + api.ModelID(m.NameUpstream())
	requests := make([]map[string]any, len(texts))
	for i, t := range texts {
		requests[i] = map[string]any{"model": name[1:], "content": api.Content{Parts: []api.Part{api.Text(t)}}}
	}
	body, err := json.Marshal(map[string]any{"requests": requests})
	if err != nil {
		return nil, fmt.Errorf("encode the texts for the upstream: %w", err)
	}
	var out [][]float32
	err = b.Try(ctx, owner, func(base string) error {
		var answer struct {
			Embeddings []struct {
				Values []float32 `json:"values"`
			} `json:"embeddings"`
		}
		whole := func() bool { return len(answer.Embeddings) == len(texts) }
		if err := b.ReadVectors(ctx, base, name+":batchEmbedContents", body, &answer, whole); err != nil {
			return err
		}
		out = nil
		for _, e := range answer.Embeddings {
			out = append(out, e.Values)
		}
		return nil
	}, func() bool { return false })
	return out, err
}
