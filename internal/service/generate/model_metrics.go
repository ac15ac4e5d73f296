package generate

import (
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/service/generate/api"
)

// modelMetrics are the tokens of each model since the start. Their number is bounded by
// that of models.
type modelMetrics struct {
	mu     sync.Mutex
	counts map[[2]string]int64
	hide   []func()
}

func (c *modelMetrics) close() {
	for _, hide := range c.hide {
		hide()
	}
}

func (c *modelMetrics) add(m api.Model, u api.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[[2]string]int64{}
	}
	c.counts[[2]string{m.ID, "prompt"}] += int64(u.PromptTokenCount)
	c.counts[[2]string{m.ID, "answer"}] += int64(u.CandidatesTokenCount)
}

func (c *modelMetrics) samples() (samples []telemetry.Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(c.counts), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		samples = append(samples, telemetry.Sample{Labels: key[:], Value: float64(c.counts[key])})
	}
	return samples
}

// showModels shows programs, tokens and the models in memory among the metrics, until the
// service closes.
func (s *Service) showModels() {
	s.world.ShowPrograms(Name, s.code.programs)
	tokens := s.world.Telemetry.Samples("stoa_model_tokens_total", "Tokens of prompts and answers, by model.",
		[]string{"model", "kind"}, s.metrics.samples)
	loaded := s.world.Telemetry.Samples("stoa_models_loaded", "Models in the memory of this process.", nil,
		func() []telemetry.Sample {
			n := 0
			s.eachBackend(func(_ string, b Backend) {
				if l, ok := b.(interface{ Loaded() bool }); ok && l.Loaded() {
					n++
				}
			})
			return []telemetry.Sample{{Value: float64(n)}}
		})
	s.metrics.hide = []func(){tokens, loaded}
}
