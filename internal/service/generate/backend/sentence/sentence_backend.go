package sentence

import (
	"context"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/generate/api"
)

// Files finds the two files of a model.
type Files func() (graph, tokenizer string, err error)

// Backend embeds with one model, which is loaded at its first use.
type Backend struct {
	files   Files
	pooling Pooling
	// turns is how many texts are worked on at once.
	turns *budget.Pool

	mu     sync.Mutex
	loaded *encoder
	// counts keeps those of short texts.
	counts *memo.Cache[string, int]
}

// maxCounts is what the cache of counts may take, in bytes.
const maxCounts = 1 << 20

// New makes a Backend. It reads nothing.
func New(files Files, p Pooling) *Backend {
	return &Backend{
		files: files, pooling: p,
		turns:  budget.New(budget.Options{Name: "generate.sentences", Total: 16, PerOwner: 8}),
		counts: memo.New(maxCounts, func(text string, _ int) int { return len(text) }),
	}
}

// Loaded reports whether the model is in memory.
func (b *Backend) Loaded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.loaded != nil
}

func (b *Backend) encoder() (*encoder, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded != nil {
		return b.loaded, nil
	}
	graph, tokenizer, err := b.files()
	if err != nil {
		return nil, api.ErrUnavailable(nil, "the model cannot be run: %s", err)
	}
	e, err := openEncoder(graph, tokenizer, b.pooling)
	if err != nil {
		return nil, api.ErrUnavailable(err, "the model cannot be read; remove it and pull it again")
	}
	b.loaded = e
	return e, nil
}

// Embed gives one vector for each text. Texts of one machine are encoded one after
// the other: the encoder uses a core as a whole.
func (b *Backend) Embed(ctx context.Context, owner budget.Owner, _ api.Model, texts []string) ([][]float32, error) {
	turn, err := b.turns.Take(ctx, owner, 1)
	if err != nil {
		return nil, api.ErrQuota("the model is busy; try again later")
	}
	defer turn.Release()
	e, err := b.encoder()
	if err != nil {
		return nil, err
	}
	var out [][]float32
	for _, text := range texts {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v, err := e.embed(text)
		if err != nil {
			return nil, api.ErrUnavailable(err, "the model failed")
		}
		out = append(out, v)
	}
	return out, nil
}

// Count counts with the model's own vocabulary, without the frame.
func (b *Backend) Count(_ context.Context, text string, limit int) (int, error) {
	if n, ok := b.counts.Get(text); ok {
		return n, nil
	}
	e, err := b.encoder()
	if err != nil {
		return 0, err
	}
	n := len(e.pieces.tokens(text, limit+4)) - 2
	if len(text) <= 512 {
		b.counts.Put(strings.Clone(text), n)
	}
	return n, nil
}

// Generate refuses: an encoder has no words.
func (b *Backend) Generate(context.Context, *api.Prompt, int, func(api.Piece) error) error {
	return api.ErrInvalid("the model embeds; it does not generate")
}

// Check reports whether the model can work; it is read at its first use.
func (b *Backend) Check(context.Context) error { return nil }

// Close forgets the model.
func (b *Backend) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loaded = nil
}
