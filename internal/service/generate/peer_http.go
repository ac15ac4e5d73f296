package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/platform/budget"
)

// peer is an upstream that speaks this very API. Addresses, tries, limits and
// patience are those of every upstream.
type peer struct {
	*upstream
}

func peerModel(m ModelConfig) string {
	if m.UpstreamModel != "" {
		return modelID(m.UpstreamModel)
	}
	return m.ID
}

// Generate asks for one candidate. Tries are repeated until the first piece
// has been passed on, never after.
func (p peer) Generate(ctx context.Context, prompt *Prompt, candidate int, emit func(Piece) error) error {
	request, err := peerRequest(ctx, prompt, candidate)
	if err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("say the prompt to the upstream: %w", err)
	}
	l := &peerListener{}
	return p.try(ctx, prompt.Owner, func(base string) error {
		*l = peerListener{prompt: prompt, emit: emit}
		return p.attempt(ctx, base, "/models/"+peerModel(prompt.Model)+":streamGenerateContent?alt=sse", body, func(answer io.Reader, _ string) error {
			return readPeer(answer, l)
		})
	}, func() bool { return l.begun })
}

// readPeer passes on events.
func readPeer(r io.Reader, l *peerListener) error {
	return events(r, func(data []byte) error {
		var c peerChunk
		if err := decodeAnswer(data, &c, maxEventValues); err != nil {
			return retryable{errUnavailable(err, "the model's server sent something that is not a chunk of an answer")}
		}
		return l.chunk(&c)
	}, func() bool { return l.ended })
}

// Embed asks for all vectors at once.
func (p peer) Embed(ctx context.Context, owner budget.Owner, m ModelConfig, texts []string) ([][]float32, error) {
	name := peerModel(m)
	requests := make([]map[string]any, len(texts))
	for i, t := range texts {
		requests[i] = map[string]any{"model": "models/" + name, "content": Content{Parts: []Part{text(t)}}}
	}
	body, err := json.Marshal(map[string]any{"requests": requests})
	if err != nil {
		return nil, fmt.Errorf("say the texts to the upstream: %w", err)
	}
	var out [][]float32
	err = p.try(ctx, owner, func(base string) error {
		response, err := p.post(ctx, base, "/models/"+name+":batchEmbedContents", body)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var answer struct {
			Embeddings []embeddingJSON `json:"embeddings"`
		}
		if err := decodeVectors(response.Body, &answer); err != nil || len(answer.Embeddings) != len(texts) {
			return retryable{errUnavailable(err, "the model's server sent something that is not the vectors asked for")}
		}
		out = nil
		for _, e := range answer.Embeddings {
			out = append(out, e.Values)
		}
		return nil
	}, func() bool { return false })
	return out, err
}
