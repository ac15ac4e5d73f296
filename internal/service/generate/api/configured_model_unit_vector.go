package api

import (
	"math"
	"strings"
)

// Model is one model, as the configuration names it.
type Model struct {
	ID          string `yaml:"id"`
	DisplayName string `yaml:"display_name"`
	Description string `yaml:"description"`
	// Backend is script, upstream or local.
	Backend string `yaml:"backend"`
	// Weights is the GGUF file of a local model. Those that stoa models pull
	// has fetched are served without being named here.
	Weights string `yaml:"weights"`
	// Upstream is the name of the upstream, UpstreamModel what it calls the model.
	Upstream      string `yaml:"upstream"`
	UpstreamModel string `yaml:"upstream_model"`
	// Version is what modelVersion says; empty means the id.
	Version          string `yaml:"version"`
	InputTokenLimit  int    `yaml:"input_token_limit"`
	OutputTokenLimit int    `yaml:"output_token_limit"`
	// Embeddings makes it a model of embeddings instead of text.
	Embeddings bool `yaml:"embeddings"`
	// Dimensions is the length of an embedding.
	Dimensions int `yaml:"dimensions"`
	// Thinking models can show thoughts.
	Thinking bool `yaml:"thinking"`
}

// NameUpstream is what its upstream calls the model.
func (m Model) NameUpstream() string {
	if m.UpstreamModel == "" {
		return m.ID
	}
	return m.UpstreamModel
}

// ModelID reads "models/ID" or "ID".
func ModelID(name string) string { return strings.TrimPrefix(name, "models/") }

// Unit scales a vector, in place, to the length one.
func Unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}
