//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"
	"unsafe"

	"stoa.dev/stoa/engine"
)

// Embed reads a text and takes the mean of what the model makes of its tokens.
func (m *model) Embed(text string) ([]float32, error) {
	const maxTokens = 2048
	tokens, err := m.tokens(text, false, true)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 || len(tokens) > maxTokens {
		return nil, &engine.Refusal{Caller: true, Message: fmt.Sprintf(
			"the text has %d tokens; 1 to %d can be embedded", len(tokens), maxTokens)}
	}
	if m.vectors == 0 {
		c := m.lib.contextDefaultParams()
		c.Context, c.Batch, c.MicroBatch, c.Sequences = maxTokens, maxTokens, maxTokens, 1
		c.Threads, c.BatchThreads, c.NoPerf = int32(m.load.Threads), int32(m.load.Threads), true
		c.Embeddings, c.Pooling = true, 1
		if m.vectors = m.lib.contextInit(m.handle, c); m.vectors == 0 {
			return nil, errors.New("the engine has no memory for embeddings")
		}
	}
	m.lib.memoryClear(m.lib.memory(m.vectors), true)
	b := m.lib.batchInit(int32(len(tokens)), 0, 1)
	defer m.lib.batchFree(b)
	b.Count = int32(len(tokens))
	fill(b, tokens, 0, 0, true)
	if code := m.lib.decode(m.vectors, b); code != 0 {
		return nil, fmt.Errorf("the engine failed to read the text (%d)", code)
	}
	v := m.lib.vector(m.vectors, 0)
	if v == nil {
		return nil, errors.New("the engine gave no embedding")
	}
	return append([]float32(nil), unsafe.Slice(v, m.Info().Width)...), nil
}
