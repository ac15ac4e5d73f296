package local

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// What a model samples with unless a request says otherwise.
const (
	DefaultTemperature = 1
	DefaultTopP        = 0.95
	DefaultTopK        = 64
)

// maxTurns is how many prompts an engine is handed at once: one that is answered
// and the next one, so that owners take turns.
const maxTurns = 2

// maxCountCache is what the cache of counts may take, in bytes.
const maxCountCache = 1 << 20

// Backend runs one model.
type Backend struct {
	engine *engine.Client
	// program finds the engine program.
	program func() (string, error)
	// queue is who may wait for the engine, and turns who is handed to it.
	queue, turns *budget.Pool
	// seed is for requests that have none.
	seed func() uint32
	// counts keeps those of short texts, which come again with every turn.
	counts *memo.Cache[string, int]
}

// Options are what a Backend is made of.
type Options struct {
	Config Config
	// Dir is the data folder.
	Dir string
	// Weights finds the model's file.
	Weights func() (string, error)
	// Wait is how long a request waits for its turn.
	Wait time.Duration
	Seed func() uint32
}

// New makes a Backend. It starts nothing.
func New(o Options) *Backend {
	c := o.Config
	load := func() (engine.Load, error) {
		libraries := c.Libraries
		if libraries == "" {
			var err error
			if libraries, err = weights.Open(o.Dir).Libraries(); err != nil {
				return engine.Load{}, err
			}
		}
		path, err := o.Weights()
		return engine.Load{
			Libraries: libraries, Weights: path, Threads: c.threads(), Context: c.Context, Slots: c.Slots,
		}, err
	}
	program := func() (string, error) { return Program(c.Engine, filepath.Join(o.Dir, "models")) }
	return &Backend{
		queue: budget.New(budget.Options{
			Name: "generate.queue", Total: int64(c.Queue), PerOwner: int64(max(1, c.Queue/2)),
		}),
		turns:   budget.New(budget.Options{Name: "generate.turns", Total: maxTurns, Wait: o.Wait}),
		seed:    o.Seed,
		counts:  memo.New(maxCountCache, func(text string, _ int) int { return len(text) }),
		program: program,
		engine: engine.NewClient(engine.Options{
			Program: program, Load: load, Queue: c.Queue, Idle: c.Idle,
			NewTimer: func(d time.Duration) (<-chan time.Time, func() bool) {
				t := clock.Real().NewTimer(d) // memory is a matter of real time
				return t.C, t.Stop
			},
		}),
	}
}

// Close ends the engine program.
func (b *Backend) Close() { b.engine.Close() }

// Loaded reports whether the model is in memory.
func (b *Backend) Loaded() bool { return b.engine.Running() }

// Check reports whether the engine program is there; it does not load the model,
// nor read its file, since readiness may be asked for every second.
func (b *Backend) Check(context.Context) error {
	if b.engine.Running() {
		return nil
	}
	_, err := b.program()
	return err
}

// wait waits for the owner's turn at the engine.
func (b *Backend) wait(ctx context.Context, owner budget.Owner) (release func(), err error) {
	place, err := b.queue.Take(ctx, owner, 1)
	if err != nil {
		return nil, engine.ErrBusy
	}
	turn, err := b.turns.Take(ctx, owner, 1)
	if err != nil {
		place.Release()
		return nil, err
	}
	return func() { turn.Release(); place.Release() }, nil
}

// Generate answers for one candidate.
func (b *Backend) Generate(ctx context.Context, p *api.Prompt, candidate int, emit func(api.Piece) error) error {
	// What is wrong with the request is said before it waits.
	if _, err := b.newPrompt(ctx, p, candidate, nil); err != nil {
		return err
	}
	release, err := b.wait(ctx, p.Owner)
	if err != nil {
		return failure(ctx, err)
	}
	defer release()
	called, err := b.choose(ctx, p)
	if err != nil {
		return failure(ctx, err)
	}
	prompt, err := b.newPrompt(ctx, p, candidate, called)
	if err != nil {
		return err
	}
	a := newAnswer(emit, prompt.Grammar != "" && len(p.Functions) > 0)
	var refused error // by the reader of the answer, not by the engine
	done, err := b.engine.Generate(ctx, prompt, func(p engine.Piece) error { refused = a.take(p); return refused })
	if refused != nil {
		return refused
	}
	if err != nil {
		return failure(ctx, err)
	}
	return a.end(done)
}

// failure says in the API's words why the engine did not answer.
func failure(ctx context.Context, err error) error {
	var refusal *engine.Refusal
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, engine.ErrBusy):
		e := api.ErrQuota("the model is busy and its queue is full; try again later")
		e.RetryAfter = time.Second
		return e
	case errors.As(err, &refusal) && refusal.Caller:
		return api.ErrInvalidField("contents", "%s", refusal.Message)
	case errors.As(err, &refusal) || errors.Is(err, weights.ErrAbsent) || errors.Is(err, ErrNoProgram):
		return api.ErrUnavailable(nil, "the model cannot be run: %s", err)
	}
	return api.ErrUnavailable(err, "the model's engine failed; it is started again with the next request")
}

// Embed gives one vector of length one for each text.
func (b *Backend) Embed(ctx context.Context, owner budget.Owner, _ api.Model, texts []string) ([][]float32, error) {
	release, err := b.wait(ctx, owner)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer release()
	vectors, err := b.engine.Embed(ctx, texts)
	if err != nil {
		return nil, failure(ctx, err)
	}
	for i := range vectors {
		vectors[i] = api.Unit(vectors[i])
	}
	return vectors, nil
}

// Count counts with the model's own vocabulary.
func (b *Backend) Count(ctx context.Context, text string, _ int) (int, error) {
	if n, ok := b.counts.Get(text); ok {
		return n, nil
	}
	counts, err := b.engine.Count(ctx, []string{text})
	if err != nil {
		return 0, failure(ctx, err)
	}
	if len(text) <= tokens.MaxCachedText {
		b.counts.Put(strings.Clone(text), counts[0])
	}
	return counts[0], nil
}
