package generate

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	enginefile "stoa.dev/stoa/internal/service/generate/backend/local"
)

// What a model samples with unless a request says otherwise.
const (
	defaultTemperature = 1
	defaultTopP        = 0.95
	defaultTopK        = 64
)

// served is what can be asked at one time. It is replaced, never changed.
type served struct {
	models   []ModelConfig
	backends map[string]Backend
}

// folder is where pulled models are.
func (s *Service) folder() *weights.Folder { return weights.Open(s.world.Dir) }

// open finds the models that are here now. Engines of models that stay keep
// running.
func (s *Service) open() {
	s.opening.Lock()
	defer s.opening.Unlock()
	before := s.served.Load()
	next := &served{backends: map[string]Backend{}}
	var embeddings []ModelConfig
	for _, m := range s.folder().Pulled() {
		generates, embeds := localModels(m, s.config.Local)
		if _, taken := s.fixed[generates.ID]; taken {
			continue // the operator has a model of that name
		}
		backend := before.backends[generates.ID]
		if backend == nil {
			backend = s.newLocal(func() (string, error) { return s.folder().Weights(m) })
		}
		next.models, embeddings = append(next.models, generates), append(embeddings, embeds)
		next.backends[generates.ID], next.backends[embeds.ID] = backend, backend
	}
	next.models = append(append(next.models, s.config.Models...), embeddings...)
	for id, b := range s.fixed {
		next.backends[id] = b
	}
	s.served.Store(next)
	for id, b := range before.backends {
		if l, ok := b.(*local); ok && next.backends[id] == nil {
			l.engine.Close()
		}
	}
}

// localModels are the two sides of a pulled model.
func localModels(m weights.Model, c LocalConfig) (generates, embeds ModelConfig) {
	room := min(c.Context, m.Context)
	generates = ModelConfig{
		ID: m.ID, DisplayName: m.Title, Backend: backendLocal, Version: m.ID, InputTokenLimit: room, OutputTokenLimit: room,
		Description: m.Title + ", running on this machine. Licence: " + m.Licence + ".",
	}
	embeds = ModelConfig{
		ID: strings.TrimSuffix(m.ID, "-instruct") + "-embedding", DisplayName: m.Title + " embedding", Backend: backendLocal,
		InputTokenLimit: min(2048, m.Context), Embeddings: true, Dimensions: m.Width,
		Description: "The mean of what " + m.Title + " makes of each token.",
	}
	return generates, embeds
}

// local is the backend that runs a model on this machine.
type local struct {
	engine *engine.Client
	// there tells what is missing to run it.
	there func() error
	// queue is who may wait for the engine, and turns who is handed to it: one
	// that is answered and the next one, so that owners take turns.
	queue, turns *budget.Pool
	// seed is for requests that have none.
	seed func() uint32

	// known keeps the counts of short texts, which come again with every turn.
	mu    sync.Mutex
	known map[string]int
}

func (s *Service) newLocal(file func() (string, error)) *local {
	c := s.config.Local
	load := func() (engine.Load, error) {
		libraries := c.Libraries
		if libraries == "" {
			var err error
			if libraries, err = s.folder().Libraries(); err != nil {
				return engine.Load{}, err
			}
		}
		path, err := file()
		return engine.Load{Libraries: libraries, Weights: path, Threads: threads(c.Threads), Context: c.Context, Slots: c.Slots}, err
	}
	program := func() (string, error) { return enginefile.Program(c.Engine, filepath.Join(s.world.Dir, "models")) }
	return &local{
		queue: budget.New(budget.Options{Name: "generate.queue", Total: int64(c.Queue), PerOwner: int64(max(1, c.Queue/2))}),
		turns: budget.New(budget.Options{Name: "generate.turns", Total: localTurns, Wait: answerTime}),
		known: map[string]int{},
		there: func() error { _, err := program(); return err },
		seed:  func() uint32 { return uint32(s.world.IDs.Int64N(1 << 32)) },
		engine: engine.NewClient(engine.Options{
			Program: program, Load: load, Queue: c.Queue, Idle: c.Idle,
			NewTimer: func(d time.Duration) (<-chan time.Time, func() bool) {
				t := clock.Real().NewTimer(d) // memory is a matter of real time
				return t.C, t.Stop
			},
		}),
	}
}

// threads leaves a core to everything else: the engine's threads wait for each
// other in a circle, and one that has to share its core holds up all.
func threads(configured int) int {
	if configured > 0 {
		return configured
	}
	return max(1, runtime.NumCPU()-1)
}

// localTurns is how many prompts an engine is handed at once.
const localTurns = 2

// wait waits for the owner's turn at the engine.
func (l *local) wait(ctx context.Context, owner budget.Owner) (release func(), err error) {
	place, err := l.queue.Take(ctx, owner, 1)
	if err != nil {
		return nil, engine.ErrBusy
	}
	turn, err := l.turns.Take(ctx, owner, 1)
	if err != nil {
		place.Release()
		return nil, err
	}
	return func() { turn.Release(); place.Release() }, nil
}

// Generate answers for one candidate.
func (l *local) Generate(ctx context.Context, p *Prompt, candidate int, emit func(Piece) error) error {
	prompt, err := l.prompt(ctx, p, candidate)
	if err != nil {
		return err
	}
	release, err := l.wait(ctx, p.Owner)
	if err != nil {
		return l.failure(ctx, err)
	}
	defer release()
	v := &voice{prompt: p, emit: emit, calls: prompt.Grammar != "" && len(p.Functions) > 0, reader: chat.NewReader()}
	done, err := l.engine.Generate(ctx, prompt, v.take)
	if err != nil {
		return l.failure(ctx, err)
	}
	return v.end(done)
}

// failure says in the API's words why the engine did not answer.
func (l *local) failure(ctx context.Context, err error) error {
	var own *Error
	var refusal *engine.Refusal
	switch {
	case ctx.Err() != nil || errors.As(err, &own) || errors.Is(err, errEnough):
		return err
	case errors.Is(err, engine.ErrBusy):
		return &Error{Code: CodeExhausted, Message: "the model is busy and its queue is full; try again later", RetryAfter: time.Second}
	case errors.As(err, &refusal) && refusal.Caller:
		return errInvalid("contents", "%s", refusal.Message)
	case errors.As(err, &refusal) || errors.Is(err, weights.ErrAbsent) || errors.Is(err, enginefile.ErrNoProgram):
		return errUnavailable(nil, "the model cannot be run: %s", err)
	}
	return errUnavailable(err, "the model's engine failed; it is started again with the next request")
}

// Embed gives one vector of length one for each text.
func (l *local) Embed(ctx context.Context, owner budget.Owner, _ ModelConfig, texts []string) ([][]float32, error) {
	release, err := l.wait(ctx, owner)
	if err != nil {
		return nil, l.failure(ctx, err)
	}
	defer release()
	vectors, err := l.engine.Embed(ctx, texts)
	if err != nil {
		return nil, l.failure(ctx, err)
	}
	for i := range vectors {
		vectors[i] = unit(vectors[i])
	}
	return vectors, nil
}

// Check finds out whether the files are there; it does not load the model, nor
// read its file, since somebody may ask every second.
func (l *local) Check(context.Context) error {
	if l.engine.Running() {
		return nil
	}
	return l.there()
}

// count counts with the model's own vocabulary.
func (l *local) count(ctx context.Context, text string, _ int) (int, error) {
	l.mu.Lock()
	n, ok := l.known[text]
	l.mu.Unlock()
	if ok {
		return n, nil
	}
	counts, err := l.engine.Count(ctx, []string{text})
	if err != nil {
		return 0, l.failure(ctx, err)
	}
	if len(text) <= maxKnownText {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.known) >= maxKnown {
			clear(l.known)
		}
		l.known[strings.Clone(text)] = counts[0]
	}
	return counts[0], nil
}

// voice turns the engine's text into parts: what is between the words for a
// call is one, everything else is said as it comes.
type voice struct {
	prompt *Prompt
	emit   func(Piece) error
	calls  bool
	reader *chat.Reader
}

func (v *voice) take(p engine.Piece) error {
	said := p.Text
	if v.calls {
		said = v.reader.Push(said)
	}
	if said == "" {
		return nil
	}
	piece := Piece{Parts: []Part{text(said)}, Counts: counts(p.Done)}
	v.addLogprobs(&piece, p.Tokens)
	return v.emit(piece)
}

func counts(d engine.Done) *Counts {
	return &Counts{Prompt: d.Prompt, Cached: d.Cached, Completion: d.Answer}
}

func (v *voice) addLogprobs(piece *Piece, tokens []engine.Token) {
	for _, t := range tokens {
		piece.Logprobs = append(piece.Logprobs, TokenLogprob{t.Text, t.ID, t.Logprob})
		if len(t.Top) > 0 {
			var top TopCandidates
			for _, rival := range t.Top {
				top.Candidates = append(top.Candidates, TokenLogprob{rival.Text, rival.ID, rival.Logprob})
			}
			piece.Top = append(piece.Top, top)
		}
	}
}

// end says the rest: a call, or why there is nothing more.
func (v *voice) end(done engine.Done) error {
	last := Piece{Finish: FinishStop, Counts: counts(done)}
	if done.Ending == engine.EndLength {
		last.Finish = FinishMaxTokens
	}
	rest, call, valid := v.reader.End()
	switch {
	case rest != "":
		last.Parts = append(last.Parts, text(rest))
	case call != nil && valid && functionName(call.Name):
		last.Parts = append(last.Parts, Part{FunctionCall: &FunctionCall{Name: call.Name, Args: call.Args}})
	case call != nil:
		last.Finish, last.Message = "MALFORMED_FUNCTION_CALL", "the model broke off in the middle of a function call"
	}
	return v.emit(last)
}
