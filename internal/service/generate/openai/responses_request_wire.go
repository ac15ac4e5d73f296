package openai

import (
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/service/generate/api"
)

// ResponsesRequest is the body of a response.
type ResponsesRequest struct {
	Model             string           `json:"model"`
	Input             responseInput    `json:"input"`
	Instructions      string           `json:"instructions"`
	Stream            bool             `json:"stream"`
	StreamOptions     *streamOptions   `json:"stream_options"`
	Tools             []tool           `json:"tools"`
	ToolChoice        toolChoice       `json:"tool_choice"`
	ParallelToolCalls *bool            `json:"parallel_tool_calls"`
	Temperature       *float64         `json:"temperature"`
	TopP              *float64         `json:"top_p"`
	MaxOutputTokens   *int             `json:"max_output_tokens"`
	Text              *responseText    `json:"text"`
	Reasoning         *reasoningConfig `json:"reasoning"`
	ServiceTier       string           `json:"service_tier"`
	Store             *bool            `json:"store"`
	Truncation        string           `json:"truncation"`
	Include           []string         `json:"include"`
	labels

	PreviousResponseID string          `json:"previous_response_id"`
	Conversation       json.RawMessage `json:"conversation"`
	Background         json.RawMessage `json:"background"`
	Prompt             json.RawMessage `json:"prompt"`
	MaxToolCalls       json.RawMessage `json:"max_tool_calls"`
	TopLogprobs        json.RawMessage `json:"top_logprobs"`
}

type responseText struct {
	Format    *answerFormat `json:"format,omitempty"`
	Verbosity string        `json:"verbosity,omitempty"`
}

type reasoningConfig struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
	// GenerateSummary is the older name of Summary.
	GenerateSummary string `json:"generate_summary,omitempty"`
}

// responseInput is a text, or a list of items.
type responseInput []inputItem

// UnmarshalJSON takes both.
func (i *responseInput) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		text := ""
		err := json.Unmarshal(b, &text)
		*i = responseInput{{Role: "user", Content: messageContent{{Type: "input_text", Text: text}}}}
		return err
	}
	return strict(b, (*[]inputItem)(i))
}

// inputItem is a message, a call, what a call answered, or reasoning of an
// earlier answer.
type inputItem struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	Role      string         `json:"role"`
	Content   messageContent `json:"content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments string         `json:"arguments"`
	Output    messageContent `json:"output"`
	// Models do not read reasoning of earlier answers.
	Summary          json.RawMessage `json:"summary"`
	EncryptedContent json.RawMessage `json:"encrypted_content"`
	Phase            json.RawMessage `json:"phase"`
}

// Translate writes the request in the words of the package api.
func (r *ResponsesRequest) Translate() (*api.Request, error) {
	out := &api.Request{Store: r.Store, GenerationConfig: &api.GenerationConfig{
		MaxOutputTokens: r.MaxOutputTokens, Temperature: r.Temperature, TopP: r.TopP,
	}}
	var c conversation
	if r.Instructions != "" {
		c.system = append(c.system, api.Text(r.Instructions))
	}
	for i := range r.Input {
		if err := r.Input[i].addTo(&c, fmt.Sprintf("input[%d]", i)); err != nil {
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
	out.ServiceTier, err = tier(r.ServiceTier)
	return out, err
}

func (i *inputItem) addTo(c *conversation, field string) error {
	switch i.Type {
	case "", "message":
		return c.message(field, i.Role, i.Content)
	case "function_call":
		return c.call(field, i.CallID, i.Name, i.Arguments)
	case "function_call_output":
		text, err := i.Output.plainText(field + ".output")
		if err != nil {
			return err
		}
		return c.result(field+".call_id", i.CallID, text)
	case "reasoning":
		return nil
	case "item_reference":
		return api.ErrInvalidField(field, "this server keeps no earlier answers; send the item itself (store: false)")
	}
	return api.ErrInvalidField(field+".type", "%q is not a kind of item that is known here", i.Type)
}

func (r *ResponsesRequest) setConfig(c *api.GenerationConfig) error {
	if r.PreviousResponseID != "" {
		return api.ErrInvalidField("previous_response_id",
			"this server keeps no earlier answers; send the whole conversation as input")
	}
	if err := unsupported(map[string]json.RawMessage{
		"conversation": r.Conversation, "background": r.Background, "prompt": r.Prompt,
		"max_tool_calls": r.MaxToolCalls, "top_logprobs": r.TopLogprobs,
	}); err != nil {
		return err
	}
	if r.Truncation != "" && r.Truncation != "disabled" && r.Truncation != "auto" {
		return api.ErrInvalidField("truncation", "%q is not one of auto and disabled", r.Truncation)
	}
	if r.Text != nil {
		if err := r.Text.Format.apply("text.format", c); err != nil {
			return err
		}
	}
	if r.Reasoning == nil {
		return nil
	}
	if err := thinking("reasoning.effort", r.Reasoning.Effort, c); err != nil {
		return err
	}
	if r.Reasoning.Summary != "" || r.Reasoning.GenerateSummary != "" {
		if c.ThinkingConfig == nil {
			c.ThinkingConfig = &api.ThinkingConfig{}
		}
		c.ThinkingConfig.IncludeThoughts = true
	}
	return nil
}
