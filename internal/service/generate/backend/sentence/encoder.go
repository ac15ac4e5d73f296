package sentence

import (
	"errors"
	"fmt"
	"os"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/sentence/onnx"
)

// maxTokens is what encoders of this kind were trained for.
const maxTokens = 512

// Pooling is how the vectors of tokens become one.
type Pooling string

// The ways of pooling.
const (
	Mean  Pooling = "mean"
	First Pooling = "first"
)

// encoder is a loaded model.
type encoder struct {
	graph   *onnx.Model
	pieces  *wordPieces
	pooling Pooling
}

// openEncoder reads graph and vocabulary.
func openEncoder(graph, tokenizer string, p Pooling) (*encoder, error) {
	raw, err := os.ReadFile(graph)
	if err != nil {
		return nil, fmt.Errorf("sentence: %w", err)
	}
	e := &encoder{pooling: p}
	if e.graph, err = onnx.Open(raw); err != nil {
		return nil, err
	}
	if raw, err = os.ReadFile(tokenizer); err != nil {
		return nil, fmt.Errorf("sentence: %w", err)
	}
	e.pieces, err = newWordPieces(raw)
	return e, err
}

// embed is the vector of a text.
func (e *encoder) embed(text string) ([]float32, error) {
	states, err := e.graph.Run(e.pieces.tokens(text, maxTokens))
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		return nil, errors.New("sentence: the model gave no vectors")
	}
	out := append([]float32(nil), states[0]...)
	if e.pooling == Mean {
		for _, state := range states[1:] {
			for i, v := range state {
				out[i] += v
			}
		}
	}
	return api.Unit(out), nil
}
