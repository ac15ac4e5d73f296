package generate

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
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
	Models []ModelConfig `yaml:"models"`
	// Upstreams are the servers that models with backend upstream name.
	Upstreams []UpstreamConfig `yaml:"upstreams"`
	// Local is how models run in this machine's own engine.
	Local LocalConfig `yaml:"local"`
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

	// RequestsPerMinute, TokensPerMinute and RequestsPerDay bound one caller on one model.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	TokensPerMinute   int64 `yaml:"tokens_per_minute"`
	RequestsPerDay    int64 `yaml:"requests_per_day"`
	// CallsPerMinute bounds one caller's other calls: files, caches, models.
	CallsPerMinute int64 `yaml:"calls_per_minute"`

	// MaxRequestBytes is the largest request with its inline media.
	MaxRequestBytes int64 `yaml:"max_request_bytes"`
	// MaxFileBytes and MaxStorageBytes bound one upload and all files of one caller.
	MaxFileBytes    int64 `yaml:"max_file_bytes"`
	MaxStorageBytes int64 `yaml:"max_storage_bytes"`
	// MaxFiles is how many files, open uploads and caches one caller may have.
	MaxFiles int64 `yaml:"max_files"`
	// FileLifetime is how long a file exists after its upload.
	FileLifetime time.Duration `yaml:"file_lifetime"`
	// MinCacheTokens is the smallest content worth a cache; MaxCacheTTL its longest life.
	MinCacheTokens int           `yaml:"min_cache_tokens"`
	MaxCacheTTL    time.Duration `yaml:"max_cache_ttl"`
}

// ModelConfig is one model.
type ModelConfig struct {
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

// LocalConfig shapes the engine that runs models on this machine.
type LocalConfig struct {
	// Engine is the engine program; empty is the one that belongs to this
	// binary. Libraries is the folder of its shared libraries; empty is what
	// stoa models pull has fetched.
	Engine    string `yaml:"engine"`
	Libraries string `yaml:"libraries"`
	// Threads is how many cores one model uses; 0 leaves one core free.
	Threads int `yaml:"threads"`
	// Context is how many tokens a conversation may have, Slots how many
	// conversations are remembered at once, so that they go on quickly.
	Context int `yaml:"context"`
	Slots   int `yaml:"slots"`
	// Queue is how many requests a model may have under way; more are refused.
	Queue int `yaml:"queue"`
	// Idle is how long a model without work stays in memory.
	Idle time.Duration `yaml:"idle"`
}

// RegistriesConfig are addresses of package registries.
type RegistriesConfig struct {
	NPM  []string `yaml:"npm"`
	PyPI []string `yaml:"pypi"`
}

// The forms that upstreams speak.
const (
	formOpenAI = "openai"
	formSame   = "same"
)

// UpstreamConfig is a group of servers that have models.
type UpstreamConfig struct {
	Name string `yaml:"name"`
	// Form is openai, or same for servers that speak this very API; empty is
	// openai.
	Form string `yaml:"form"`
	// URLs are base addresses, tried in turn: up to and including /v1, or
	// /v1beta for the form same.
	URLs []string `yaml:"urls"`
	// Key is sent as a bearer token, or in this API's own header.
	Key string `yaml:"key" secret:"true"`
	// FirstByte is how long an answer may take to begin; Idle how long a stream may pause.
	FirstByte time.Duration `yaml:"first_byte"`
	Idle      time.Duration `yaml:"idle"`
	// Retries is how often another try is made before the first byte.
	Retries int `yaml:"retries"`
	// MaxConcurrent bounds the calls under way; more are refused.
	MaxConcurrent int `yaml:"max_concurrent"`
}

// ScriptModel is the id of the model that needs no weights.
const ScriptModel = "stoa-script"

// ScriptEmbedding is its companion for embeddings.
const ScriptEmbedding = "stoa-script-embedding"

// DefaultConfig serves the built-in script.
func DefaultConfig() Config {
	return Config{
		Models: []ModelConfig{
			{
				ID: ScriptModel, DisplayName: "Stoa script", Backend: backendScript, Version: "stoa-script-1 (built-in script, not a language model)",
				Description:     "Answers from rules. Deterministic; for tests of clients.",
				InputTokenLimit: 1_048_576, OutputTokenLimit: 65_536, Thinking: true,
			},
			{
				ID: ScriptEmbedding, DisplayName: "Stoa script embedding", Backend: backendScript, Version: "stoa-script-embedding-1 (hashed n-grams)",
				Description:     "Hashed word and letter n-grams: texts that share words are near each other.",
				InputTokenLimit: 8192, Embeddings: true, Dimensions: 768,
			},
		},
		Local:             LocalConfig{Context: 4096, Slots: 2, Queue: 16, Idle: 15 * time.Minute},
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
		"requests_per_minute": c.RequestsPerMinute, "tokens_per_minute": c.TokensPerMinute, "requests_per_day": c.RequestsPerDay,
		"calls_per_minute": c.CallsPerMinute, "max_request_bytes": c.MaxRequestBytes, "max_file_bytes": c.MaxFileBytes,
		"max_storage_bytes": c.MaxStorageBytes, "max_files": c.MaxFiles, "file_lifetime": int64(c.FileLifetime), "store_retention": int64(c.StoreRetention),
		"max_cache_ttl": int64(c.MaxCacheTTL),
	} {
		if value <= 0 {
			bad = append(bad, fmt.Errorf("generate.%s must be above 0, not %d", name, value))
		}
	}
	if !slices.Contains(thresholds()[1:], c.SafetyThreshold) {
		bad = append(bad, fmt.Errorf("generate.safety_threshold is one of %v, not %q", thresholds()[1:], c.SafetyThreshold))
	}
	for _, u := range c.Upstreams {
		bad = append(bad, u.validate())
	}
	bad = append(bad, c.Local.validate(), c.Code.validate())
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

func (c Config) validateModel(m ModelConfig) error {
	switch {
	case !slices.Contains([]string{backendScript, backendUpstream, backendLocal}, m.Backend):
		return fmt.Errorf("generate.models %s: backend is script, upstream or local, not %q", m.ID, m.Backend)
	case m.Backend == backendLocal && m.Weights == "":
		return fmt.Errorf("generate.models %s: weights must name a GGUF file", m.ID)
	case m.InputTokenLimit <= 0 || (!m.Embeddings && m.OutputTokenLimit <= 0):
		return fmt.Errorf("generate.models %s: input_token_limit and output_token_limit must be above 0", m.ID)
	case m.Embeddings && m.Dimensions <= 0 && m.Backend == backendScript:
		return fmt.Errorf("generate.models %s: dimensions must be above 0", m.ID)
	case m.Backend == backendUpstream && !slices.ContainsFunc(c.Upstreams, func(u UpstreamConfig) bool { return u.Name == m.Upstream }):
		return fmt.Errorf("generate.models %s: there is no upstream %q", m.ID, m.Upstream)
	}
	return nil
}

func (l LocalConfig) validate() error {
	switch {
	case l.Threads < 0 || l.Threads > 512:
		return fmt.Errorf("generate.local.threads must be 0 to 512, not %d", l.Threads)
	case l.Context < 256 || l.Slots < 1 || l.Slots > 64 || l.Queue < 1 || l.Queue > 1024 || l.Idle <= 0:
		return errors.New("generate.local: context must be 256 or more, slots 1 to 64, queue 1 to 1024, idle above 0")
	}
	return nil
}

func (u UpstreamConfig) validate() error {
	var bad []error
	if u.Name == "" || len(u.URLs) == 0 {
		bad = append(bad, errors.New("generate.upstreams: each needs a name and at least one of urls"))
	}
	for _, raw := range u.URLs {
		if parsed, err := url.Parse(raw); err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
			bad = append(bad, fmt.Errorf("generate.upstreams %s: %q is not an http or https address", u.Name, raw))
		}
	}
	if u.Form != "" && u.Form != formOpenAI && u.Form != formSame {
		bad = append(bad, fmt.Errorf("generate.upstreams %s: form is openai or same, not %q", u.Name, u.Form))
	}
	if u.FirstByte < 0 || u.Idle < 0 || u.Retries < 0 || u.Retries > 10 || u.MaxConcurrent < 0 {
		bad = append(bad, fmt.Errorf("generate.upstreams %s: first_byte, idle, max_concurrent must not be negative, retries 0 to 10", u.Name))
	}
	return errors.Join(bad...)
}
