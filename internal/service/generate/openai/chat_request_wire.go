package openai

import (
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/service/generate/api"
)

// ChatRequest is the body of a chat completion.
type ChatRequest struct {
	Model               string         `json:"model"`
	Messages            []chatMessage  `json:"messages"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options"`
	Tools               []tool         `json:"tools"`
	ToolChoice          toolChoice     `json:"tool_choice"`
	ParallelToolCalls   *bool          `json:"parallel_tool_calls"`
	Temperature         *float64       `json:"temperature"`
	TopP                *float64       `json:"top_p"`
	TopK                *float64       `json:"top_k"`
	N                   *int           `json:"n"`
	Seed                *int64         `json:"seed"`
	Stop                textList       `json:"stop"`
	MaxTokens           *int           `json:"max_tokens"`
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	PresencePenalty     *float64       `json:"presence_penalty"`
	FrequencyPenalty    *float64       `json:"frequency_penalty"`
	Logprobs            bool           `json:"logprobs"`
	TopLogprobs         *int           `json:"top_logprobs"`
	ResponseFormat      *answerFormat  `json:"response_format"`
	ReasoningEffort     string         `json:"reasoning_effort"`
	ServiceTier         string         `json:"service_tier"`
	Store               *bool          `json:"store"`
	Modalities          []string       `json:"modalities"`
	ExtraBody           extraBody      `json:"extra_body"`
	labels

	LogitBias        json.RawMessage `json:"logit_bias"`
	Audio            json.RawMessage `json:"audio"`
	Prediction       json.RawMessage `json:"prediction"`
	WebSearchOptions json.RawMessage `json:"web_search_options"`
}

// labels are for the caller's own books.
type labels struct {
	User             string          `json:"user"`
	Metadata         json.RawMessage `json:"metadata"`
	SafetyIdentifier string          `json:"safety_identifier"`
	PromptCacheKey   string          `json:"prompt_cache_key"`
}

type streamOptions struct {
	IncludeUsage       bool  `json:"include_usage"`
	IncludeObfuscation *bool `json:"include_obfuscation"`
}

// extraBody is how clients of this form reach what it has no words for: one
// member, named for the vendor, with members of the other form.
type extraBody map[string]vendorOptions

type vendorOptions struct {
	CachedContent  string              `json:"cached_content"`
	ThinkingConfig *api.ThinkingConfig `json:"thinking_config"`
	SafetySettings []api.SafetySetting `json:"safety_settings"`
}

// chatMessage is one message of a chat.
type chatMessage struct {
	Role       string          `json:"role"`
	Content    messageContent  `json:"content"`
	Name       string          `json:"name"`
	Refusal    string          `json:"refusal"`
	Reasoning  json.RawMessage `json:"reasoning_content"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	// Annotations and Audio come back with an earlier answer.
	Annotations json.RawMessage `json:"annotations"`
	Audio       json.RawMessage `json:"audio"`
	// FunctionCall is null there; the calls are in ToolCalls.
	FunctionCall *chatFunction `json:"function_call"`
	returned
}

// returned are members that libraries add to an answer and send back with it. They are
// about the library's own work, and nothing here reads them.
type returned struct {
	ProviderFields json.RawMessage `json:"provider_specific_fields,omitempty"`
}

type chatCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
	returned
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
	returned
}

// Translate writes the request in the words of the package api. vendor are the
// spellings of the member inside extra_body.
func (r *ChatRequest) Translate(vendor ...string) (*api.Request, error) {
	out := &api.Request{Store: r.Store, GenerationConfig: &api.GenerationConfig{}}
	var c conversation
	for i := range r.Messages {
		if err := r.Messages[i].addTo(&c, fmt.Sprintf("messages[%d]", i)); err != nil {
			return nil, err
		}
	}
	c.into(out)
	if err := addTools(out, r.Tools); err != nil {
		return nil, err
	}
	if err := r.ToolChoice.apply(out); err != nil {
		return nil, err
	}
	if err := r.setConfig(out.GenerationConfig); err != nil {
		return nil, err
	}
	var err error
	if out.ServiceTier, err = tier(r.ServiceTier); err != nil {
		return nil, err
	}
	return out, r.ExtraBody.apply(out, vendor)
}

func (m *chatMessage) addTo(c *conversation, field string) error {
	if m.FunctionCall != nil {
		return api.ErrInvalidField(field+".function_call", "the calls of an answer are tool_calls")
	}
	if m.Role == "tool" || m.Role == "function" {
		text, err := m.Content.plainText(field + ".content")
		if err != nil {
			return err
		}
		return c.result(field+".tool_call_id", m.ToolCallID, text)
	}
	if m.Refusal != "" && len(m.Content) == 0 {
		m.Content = messageContent{{Type: "refusal", Refusal: m.Refusal}}
	}
	if err := c.message(field, m.Role, m.Content); err != nil {
		return err
	}
	for i, call := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d].function", field, i)
		if err := c.call(at, call.ID, call.Function.Name, call.Function.Arguments); err != nil {
			return err
		}
	}
	return nil
}

func (r *ChatRequest) setConfig(c *api.GenerationConfig) error {
	limit := r.MaxCompletionTokens
	if limit == nil {
		limit = r.MaxTokens
	}
	*c = api.GenerationConfig{
		StopSequences: r.Stop, CandidateCount: r.N, MaxOutputTokens: limit, Temperature: r.Temperature,
		TopP: r.TopP, TopK: r.TopK, Seed: seed(r.Seed), PresencePenalty: r.PresencePenalty,
		FrequencyPenalty: r.FrequencyPenalty, ResponseLogprobs: r.Logprobs, Logprobs: r.TopLogprobs,
	}
	if err := unsupported(map[string]json.RawMessage{
		"logit_bias": r.LogitBias, "audio": r.Audio, "prediction": r.Prediction,
		"web_search_options": r.WebSearchOptions,
	}); err != nil {
		return err
	}
	if err := onlyText(r.Modalities); err != nil {
		return err
	}
	if err := r.ResponseFormat.apply("response_format", c); err != nil {
		return err
	}
	return thinking("reasoning_effort", r.ReasoningEffort, c)
}

func (e extraBody) apply(r *api.Request, vendor []string) error {
	for name, options := range e {
		known := false
		for _, v := range vendor {
			known = known || v == name
		}
		if !known {
			return api.ErrInvalidField("extra_body."+name, "is not known here")
		}
		r.CachedContent, r.SafetySettings = options.CachedContent, options.SafetySettings
		if options.ThinkingConfig != nil {
			if r.GenerationConfig.ThinkingConfig != nil {
				return api.ErrInvalidField("reasoning_effort", "give either this or thinking_config, not both")
			}
			r.GenerationConfig.ThinkingConfig = options.ThinkingConfig
		}
	}
	return nil
}
