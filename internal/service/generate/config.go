package generate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/local"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
)

// The kinds of backends.
const (
	backendScript   = "script"
	backendUpstream = "upstream"
	backendLocal    = "local"
)

// Config says which models there are, who answers for them, and the limits.
type Config struct {
	// Models are served in this order; the first that can generate also answers
	// for every id of the family (see AnyModel).
	Models []api.Model `yaml:"models"`
	// Upstreams are the servers that models with backend upstream name.
	Upstreams []upstream.Config `yaml:"upstreams"`
	// Local is how models run on this machine.
	Local local.Config `yaml:"local"`
	// Code is how programs are run that models write.
	Code CodeConfig `yaml:"code_execution"`
	// Registries name where stoa models pull asks first; empty asks the
	// machine's own package managers.
	Registries RegistriesConfig `yaml:"registries"`
	// Script is a file of rules for the script backend; empty is the built-in one.
	Script string `yaml:"script"`
	// AnyModel lets the first model answer for ids it does not have, so that
	// clients with fixed model names run unchanged.
	AnyModel bool `yaml:"any_model"`
	// Store keeps requests and answers unless a request says otherwise.
	Store bool `yaml:"store"`
	// StoreRetention is how long they are kept.
	StoreRetention time.Duration `yaml:"store_retention"`
	// SafetyThreshold is that of categories without a setting.
	SafetyThreshold string `yaml:"safety_threshold"`

	// RequestsPerMinute is how many requests one caller may make to one model in a minute.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	TokensPerMinute   int64 `yaml:"tokens_per_minute"` // How many tokens one caller may use of one model in a minute.
	RequestsPerDay    int64 `yaml:"requests_per_day"`  // How many requests one caller may make to one model in a day.
	// CallsPerMinute is how many other calls one caller may make in a minute: files, caches, models.
	CallsPerMinute int64 `yaml:"calls_per_minute"`

	// MaxRequestBytes is the largest request with its inline media, in bytes.
	MaxRequestBytes int64 `yaml:"max_request_bytes"`
	// MaxFileBytes is the largest upload, in bytes.
	MaxFileBytes    int64 `yaml:"max_file_bytes"`
	MaxStorageBytes int64 `yaml:"max_storage_bytes"` // The bytes that all files of one caller may have.
	// MaxFiles is how many files, open uploads and caches one caller may have.
	MaxFiles int64 `yaml:"max_files"`
	// FileLifetime is how long a file exists after its upload.
	FileLifetime time.Duration `yaml:"file_lifetime"`
	// MinCacheTokens is how many tokens a content must have to be worth a cache.
	MinCacheTokens int           `yaml:"min_cache_tokens"`
	MaxCacheTTL    time.Duration `yaml:"max_cache_ttl"` // MaxCacheTTL is the longest life of a cache.
}

// RegistriesConfig are addresses of package registries.
type RegistriesConfig struct {
	NPM   []string `yaml:"npm"`   // NPM lists npm registries.
	PyPI  []string `yaml:"pypi"`  // PyPI lists Python package indexes.
	Maven []string `yaml:"maven"` // Maven lists Maven repositories.
}

// ScriptModel is the id of the model that needs no weights.
const ScriptModel = "stoa-script"

// ScriptEmbedding is its companion for embeddings.
const ScriptEmbedding = "stoa-script-embedding"

// DefaultConfig serves the built-in script.
func DefaultConfig() Config {
	return Config{
		Models: []api.Model{
			{
				ID: ScriptModel, DisplayName: "Stoa script", Backend: backendScript,
				Version:         "stoa-script-1 (built-in script, not a language model)",
				Description:     "Answers from rules. Deterministic; for tests of clients.",
				InputTokenLimit: 1_048_576, OutputTokenLimit: 65_536, Thinking: true,
			},
			{
				ID: ScriptEmbedding, DisplayName: "Stoa script embedding", Backend: backendScript,
				Version:         "stoa-script-embedding-1 (hashed n-grams)",
				Description:     "Hashed word and letter n-grams: texts that share words are near each other.",
				InputTokenLimit: 8192, Embeddings: true, Dimensions: 768,
			},
		},
		Local:             local.DefaultConfig(),
		Code:              defaultCode(),
		AnyModel:          true,
		StoreRetention:    30 * 24 * time.Hour,
		SafetyThreshold:   "BLOCK_MEDIUM_AND_ABOVE",
		RequestsPerMinute: 6000,
		TokensPerMinute:   40_000_000,
		RequestsPerDay:    1_000_000,
		CallsPerMinute:    6000,
		MaxRequestBytes:   100 << 20,
		MaxFileBytes:      2 << 30,
		MaxStorageBytes:   20 << 30,
		MaxFiles:          10_000,
		FileLifetime:      48 * time.Hour,
		MinCacheTokens:    1024,
		MaxCacheTTL:       30 * 24 * time.Hour,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, value := range map[string]int64{
		"requests_per_minute": c.RequestsPerMinute, "tokens_per_minute": c.TokensPerMinute,
		"requests_per_day": c.RequestsPerDay, "calls_per_minute": c.CallsPerMinute,
		"max_request_bytes": c.MaxRequestBytes, "max_file_bytes": c.MaxFileBytes,
		"max_storage_bytes": c.MaxStorageBytes, "max_files": c.MaxFiles, "file_lifetime": int64(c.FileLifetime),
		"store_retention": int64(c.StoreRetention), "max_cache_ttl": int64(c.MaxCacheTTL),
	} {
		if value <= 0 {
			bad = append(bad, fmt.Errorf("generate.%s must be above 0, not %d", name, value))
		}
	}
	if words := strings.Fields(string(api.Thresholds))[1:]; !slices.Contains(words, c.SafetyThreshold) {
		bad = append(bad, fmt.Errorf("generate.safety_threshold is one of %v, not %q", words, c.SafetyThreshold))
	}
	for _, u := range c.Upstreams {
		bad = append(bad, u.Validate())
	}
	bad = append(bad, c.Local.Validate(), c.Code.validate())
	seen := map[string]bool{}
	for _, m := range c.Models {
		if m.ID == "" || seen[m.ID] {
			bad = append(bad, fmt.Errorf("generate.models: the id %q is empty or comes twice", m.ID))
		}
		seen[m.ID] = true
		bad = append(bad, c.validateModel(m))
	}
	if len(c.Models) == 0 {
		bad = append(bad, errors.New("generate.models: name at least one model"))
	}
	return errors.Join(bad...)
}

func (c Config) validateModel(m api.Model) error {
	known := func(u upstream.Config) bool { return u.Name == m.Upstream }
	switch {
	case !slices.Contains([]string{backendScript, backendUpstream, backendLocal}, m.Backend):
		return fmt.Errorf("generate.models %s: backend is script, upstream or local, not %q", m.ID, m.Backend)
	case m.Backend == backendLocal && m.Weights == "":
		return fmt.Errorf("generate.models %s: weights must name a GGUF file", m.ID)
	case m.InputTokenLimit <= 0 || (!m.Embeddings && m.OutputTokenLimit <= 0):
		return fmt.Errorf("generate.models %s: input_token_limit and output_token_limit must be above 0", m.ID)
	case m.Embeddings && m.Dimensions <= 0 && m.Backend == backendScript:
		return fmt.Errorf("generate.models %s: dimensions must be above 0", m.ID)
	case m.Backend == backendUpstream && !slices.ContainsFunc(c.Upstreams, known):
		return fmt.Errorf("generate.models %s: there is no upstream %q", m.ID, m.Upstream)
	}
	return nil
}
