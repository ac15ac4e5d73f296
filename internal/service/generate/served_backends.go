package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/local"
	"stoa.dev/stoa/internal/service/generate/backend/peer"
	"stoa.dev/stoa/internal/service/generate/backend/script"
	"stoa.dev/stoa/internal/service/generate/backend/sentence"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// Backend answers prompts. Everything about the API, its limits, safety and
// counting, stands before it; a backend turns a checked prompt into parts.
type Backend interface {
	// Generate answers for one candidate and hands over the parts as they
	// come. It ends when ctx does, and with the error of emit as soon as that
	// fails. The last piece has a Finish.
	Generate(ctx context.Context, p *api.Prompt, candidate int, emit func(api.Piece) error) error
	// Embed gives one vector for each text.
	Embed(ctx context.Context, owner budget.Owner, m api.Model, texts []string) ([][]float32, error)
	// Check reports whether the backend can work.
	Check(ctx context.Context) error
	Close()
}

// served is the models that can be asked at one time, with their backends by id.
// It is replaced, never changed.
type served struct {
	models   []api.Model
	backends map[string]Backend
}

// openBackends makes the backends of the models that the configuration names.
func (s *Service) openBackends() error {
	s.showModels()
	var rules []byte
	var err error
	if s.config.Script != "" {
		if rules, err = os.ReadFile(s.config.Script); err != nil {
			return fmt.Errorf("generate.script: %w", err)
		}
	}
	scripted, err := script.New(s.world.Clock, s.tokens, rules)
	if err != nil {
		return err
	}
	upstreams := map[string]Backend{}
	for _, c := range s.config.Upstreams {
		if c.Form == upstream.FormSame {
			upstreams[c.Name] = peer.New(c, s.world.Outbound, s.spellings.Accepts(dialect.ModelKey)...)
		} else {
			upstreams[c.Name] = upstream.New(c, s.world.Outbound)
		}
	}
	s.configured = map[string]Backend{}
	for _, m := range s.config.Models {
		switch m.Backend {
		case backendUpstream:
			s.configured[m.ID] = upstreams[m.Upstream]
		case backendLocal:
			s.configured[m.ID] = s.newLocal(func() (string, error) { return m.Weights, nil })
		default:
			s.configured[m.ID] = scripted
		}
	}
	s.reloadModels()
	return nil
}

func (s *Service) newLocal(file func() (string, error)) *local.Backend {
	return local.New(local.Options{
		Config: s.config.Local, Dir: s.world.Dir, Weights: file, Wait: answerTime,
		Seed: func() uint32 { return uint32(s.world.IDs.Int64N(1 << 32)) },
	})
}

// pulledModels is the folder of models that were pulled.
func (s *Service) pulledModels() *weights.Folder { return weights.Open(s.world.Dir) }

// reloadModels finds the models that are here now. Engines of models that stay
// keep running.
func (s *Service) reloadModels() {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	before := s.served.Load()
	next := &served{backends: maps.Clone(s.configured)}
	var embeddings []api.Model
	for _, m := range s.pulledModels().Pulled() {
		if m.Sentences() {
			s.addSentences(before, next, m)
			continue
		}
		generates, embeds := localModels(m, s.config.Local)
		if _, taken := s.configured[generates.ID]; taken {
			continue // the operator has a model of that name
		}
		backend := before.backends[generates.ID]
		if backend == nil {
			backend = s.newLocal(func() (string, error) { return s.pulledModels().Weights(m) })
		}
		next.models, embeddings = append(next.models, generates), append(embeddings, embeds)
		next.backends[generates.ID] = backend
		if _, taken := s.configured[embeds.ID]; !taken {
			next.backends[embeds.ID] = backend
		}
	}
	next.models = append(append(next.models, s.config.Models...), embeddings...)
	s.served.Store(next)
	for id, b := range before.backends {
		if next.backends[id] == nil {
			b.Close()
		}
	}
}

// addSentences serves a pulled model of sentences. It comes before the configured
// models, so that it answers for ids of embeddings that clients know by heart.
func (s *Service) addSentences(before, next *served, m weights.Model) {
	if _, taken := s.configured[m.ID]; taken {
		return // the operator has a model of that name
	}
	backend := before.backends[m.ID]
	if backend == nil {
		backend = sentence.New(func() (graph, tokenizer string, err error) {
			if graph, err = s.pulledModels().Weights(m); err != nil {
				return "", "", err
			}
			tokenizer, err = s.pulledModels().Tokenizer(m)
			return graph, tokenizer, err
		}, sentence.Pooling(m.Pooling))
	}
	next.backends[m.ID] = backend
	next.models = append(next.models, api.Model{
		ID: m.ID, DisplayName: m.Title, Backend: backendLocal, InputTokenLimit: m.Context - 2, Embeddings: true,
		Dimensions:  m.Width,
		Description: m.Title + ", an encoder of sentences, running on this machine. Licence: " + m.Licence + ".",
	})
}

// localModels are the two sides of a pulled model.
func localModels(m weights.Model, c local.Config) (generates, embeds api.Model) {
	context := min(c.Context, m.Context)
	generates = api.Model{
		ID: m.ID, DisplayName: m.Title, Backend: backendLocal, Version: m.ID,
		InputTokenLimit: context, OutputTokenLimit: context,
		Description: m.Title + ", running on this machine. Licence: " + m.Licence + ".",
	}
	embeds = api.Model{
		ID: strings.TrimSuffix(m.ID, "-instruct") + "-embedding", DisplayName: m.Title + " embedding",
		Backend: backendLocal, InputTokenLimit: min(2048, m.Context), Embeddings: true, Dimensions: m.Width,
		Description: "The mean of what " + m.Title + " makes of each token.",
	}
	return generates, embeds
}

// eachBackend calls fn once for every backend, with one of its models.
func (s *Service) eachBackend(fn func(id string, b Backend)) {
	seen := map[Backend]bool{}
	for id, b := range s.served.Load().backends {
		if !seen[b] {
			seen[b] = true
			fn(id, b)
		}
	}
}

// check asks every backend.
func (s *Service) check(ctx context.Context) error {
	var bad []error
	s.eachBackend(func(id string, b Backend) {
		if err := b.Check(ctx); err != nil {
			bad = append(bad, fmt.Errorf("model %s: %w", id, err))
		}
	})
	return errors.Join(bad...)
}

// removedModel answers for a model that was removed while requests for it were under way.
type removedModel struct{}

// Generate implements Backend.
func (removedModel) Generate(_ context.Context, p *api.Prompt, _ int, _ func(api.Piece) error) error {
	return errNoModel(p.Model.ID, methodGenerate)
}

// Embed implements Backend.
func (removedModel) Embed(_ context.Context, _ budget.Owner, m api.Model, _ []string) ([][]float32, error) {
	return nil, errNoModel(m.ID, methodEmbed)
}

// Check implements Backend.
func (removedModel) Check(context.Context) error { return nil }

// Close implements Backend.
func (removedModel) Close() {}

// counter is the model's own vocabulary where there is one.
func (s *Service) counter(m api.Model) tokens.Counter {
	if c, ok := s.backend(m).(tokens.Counter); ok {
		return c
	}
	return s.tokens
}
