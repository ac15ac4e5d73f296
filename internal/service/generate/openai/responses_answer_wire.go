package openai

import (
	"encoding/json"
	"strings"
)

// Response is an answer of the responses API, with what was asked.
type Response struct {
	ID                string             `json:"id"`
	Object            string             `json:"object"`
	CreatedAt         int64              `json:"created_at"`
	Status            string             `json:"status"`
	Error             *ErrorBody         `json:"error"`
	IncompleteDetails *incompleteDetails `json:"incomplete_details"`
	Instructions      *string            `json:"instructions"`
	MaxOutputTokens   *int               `json:"max_output_tokens"`
	Model             string             `json:"model"`
	Output            []outputItem       `json:"output"`
	ParallelToolCalls bool               `json:"parallel_tool_calls"`
	PreviousResponse  *string            `json:"previous_response_id"`
	Reasoning         reasoningEcho      `json:"reasoning"`
	ServiceTier       string             `json:"service_tier"`
	Store             bool               `json:"store"`
	Temperature       *float64           `json:"temperature"`
	Text              responseText       `json:"text"`
	ToolChoice        toolChoice         `json:"tool_choice"`
	Tools             []tool             `json:"tools"`
	TopP              *float64           `json:"top_p"`
	Truncation        string             `json:"truncation"`
	Usage             *responseUsage     `json:"usage"`
	User              *string            `json:"user"`
	Metadata          json.RawMessage    `json:"metadata"`
	// Notes say what of the request the model could not honour.
	Notes []string `json:"notes,omitempty"`
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

type reasoningEcho struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

type responseUsage struct {
	InputTokens   int             `json:"input_tokens"`
	InputDetails  cachedTokens    `json:"input_tokens_details"`
	OutputTokens  int             `json:"output_tokens"`
	OutputDetails reasoningTokens `json:"output_tokens_details"`
	TotalTokens   int             `json:"total_tokens"`
}

// outputItem is a message, a call or reasoning.
type outputItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Status    string        `json:"status,omitempty"`
	Role      string        `json:"role,omitempty"`
	Content   *[]outputPart `json:"content,omitempty"`
	CallID    string        `json:"call_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Arguments *string       `json:"arguments,omitempty"`
	Summary   *[]outputPart `json:"summary,omitempty"`

	// text grows until the item is done.
	text *strings.Builder
}

type outputPart struct {
	Type        string             `json:"type"`
	Text        string             `json:"text"`
	Annotations *[]json.RawMessage `json:"annotations,omitempty"`
}

// Event is one event of a streamed response.
type Event struct {
	Name string
	Body map[string]any
}
