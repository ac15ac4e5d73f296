package engine_test

import (
	"encoding/json"
	"io"
	"testing"

	"stoa.dev/stoa/engine"
)

// embedder tells of every text that it embeds, and waits then.
type embedder struct {
	engine.Model
	embedded, counted chan struct{}
}

func (e *embedder) Info() engine.Info { return engine.Info{} }

func (e *embedder) Embed(string) ([]float32, error) {
	e.embedded <- struct{}{}
	<-e.counted
	return []float32{1}, nil
}

func (e *embedder) Count(string) (int, error) {
	close(e.counted)
	return 1, nil
}

// TestEmbeddingEnds: what a caller who has left wanted to have embedded does not hold up others.
func TestEmbeddingEnds(t *testing.T) {
	t.Parallel()
	in, requests := io.Pipe()
	replies, out := io.Pipe()
	model := &embedder{embedded: make(chan struct{}, 100), counted: make(chan struct{})}
	served := make(chan error, 1)
	go func() {
		served <- engine.Serve(in, out, func(engine.Load) (engine.Model, error) { return model, nil })
	}()
	go func() {
		encoder := json.NewEncoder(requests)
		for _, request := range []map[string]any{
			{"number": 1, "load": map[string]any{}}, {"number": 2, "embed": make([]string, 50)},
		} {
			_ = encoder.Encode(request)
		}
		<-model.embedded
		_ = encoder.Encode(map[string]any{"number": 2, "cancel": true})
		_ = encoder.Encode(map[string]any{"number": 3, "count": []string{"a"}}) // read after the other
	}()
	for decoder, number := json.NewDecoder(replies), 0; number != 2; {
		var reply struct{ Number int }
		if err := decoder.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		number = reply.Number
	}
	if n := len(model.embedded); n > 0 {
		t.Errorf("%d more texts were embedded for a caller who had left", n)
	}
	_ = requests.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
