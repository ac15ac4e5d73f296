package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/generate/api"
)

// Backend asks servers of the OpenAI form.
type Backend struct{ *Client }

// New makes a Backend.
func New(c Config, gate *outbound.Gate) Backend { return Backend{NewClient(c, gate)} }

// Generate asks for one candidate. Tries are repeated until the first piece
// has been passed on, never after.
func (b Backend) Generate(ctx context.Context, p *api.Prompt, candidate int, emit func(api.Piece) error) error {
	request, err := newChatRequest(ctx, p, candidate)
	if err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the prompt for the upstream: %w", err)
	}
	var r chatReader
	return b.Try(ctx, p.Owner, func(base string) error {
		r = chatReader{prompt: p, emit: emit}
		return b.Read(ctx, base, "/chat/completions", body, func(answer io.Reader, contentType string) error {
			if strings.HasPrefix(contentType, "application/json") {
				return readWhole(answer, &r)
			}
			if err := ReadEvents(answer, r.chunk, func() bool { return r.last.Finish != "" }); err != nil {
				return err
			}
			return r.end()
		})
	}, func() bool { return r.begun })
}

// readWhole reads a server that does not stream.
func readWhole(answer io.Reader, r *chatReader) error {
	var c chatChunk
	text, err := io.ReadAll(io.LimitReader(answer, maxEvent))
	if err != nil {
		return Retryable(err, "the model's server broke off")
	}
	if decode(text, &c, maxEventValues) != nil || len(c.Choices) == 0 {
		return Retryable(nil, "the model's server sent something that is not an answer")
	}
	if err := r.chunk(&c); err != nil {
		return err
	}
	return r.end()
}

// Embed asks for all vectors at once.
func (b Backend) Embed(ctx context.Context, owner budget.Owner, m api.Model, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": m.NameUpstream(), "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("encode the texts for the upstream: %w", err)
	}
	var out [][]float32
	err = b.Try(ctx, owner, func(base string) error {
		var answer struct {
			Data []struct {
				Index     int       `json:"index"`
				Embedding []float32 `json:"embedding"`
			} `json:"data"`
		}
		whole := func() bool { return len(answer.Data) == len(texts) }
		if err := b.ReadVectors(ctx, base, "/embeddings", body, &answer, whole); err != nil {
			return err
		}
		out = make([][]float32, len(texts))
		for _, d := range answer.Data {
			if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
				return api.ErrUnavailable(nil, "the model's server numbered its vectors wrongly")
			}
			out[d.Index] = d.Embedding
		}
		return nil
	}, func() bool { return false })
	return out, err
}
