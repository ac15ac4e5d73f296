package upstream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// chatRequest is a chat completion as OpenAI-compatible servers take it.
type chatRequest struct {
	Model            string          `json:"model"`
	Messages         []chatMessage   `json:"messages"`
	Stream           bool            `json:"stream"`
	StreamOptions    map[string]bool `json:"stream_options"`
	Tools            []chatTool      `json:"tools,omitempty"`
	ToolChoice       any             `json:"tool_choice,omitempty"`
	Temperature      *float64        `json:"temperature,omitempty"`
	TopP             *float64        `json:"top_p,omitempty"`
	TopK             *float64        `json:"top_k,omitempty"`
	Seed             *int32          `json:"seed,omitempty"`
	PresencePenalty  *float64        `json:"presence_penalty,omitempty"`
	FrequencyPenalty *float64        `json:"frequency_penalty,omitempty"`
	MaxTokens        int             `json:"max_tokens,omitempty"`
	Stop             []string        `json:"stop,omitempty"`
	Logprobs         bool            `json:"logprobs,omitempty"`
	TopLogprobs      *int            `json:"top_logprobs,omitempty"`
	ResponseFormat   any             `json:"response_format,omitempty"`
	ReasoningEffort  string          `json:"reasoning_effort,omitempty"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	Index    int          `json:"index,omitempty"`
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string         `json:"type"`
	Function map[string]any `json:"function"`
}

// newChatRequest writes a prompt in the other API's words, or refuses what
// those have no words for.
func newChatRequest(ctx context.Context, p *api.Prompt, candidate int) (*chatRequest, error) {
	if p.Code {
		if err := p.Lack("tools", "codeExecution: %s", api.NoSandbox); err != nil {
			return nil, err
		}
	}
	c := p.Config
	r := &chatRequest{
		Model: p.Model.NameUpstream(), Stream: true, StreamOptions: map[string]bool{"include_usage": true},
		Temperature: c.Temperature, TopP: c.TopP, TopK: c.TopK, Seed: p.Seed(candidate),
		PresencePenalty: c.PresencePenalty, FrequencyPenalty: c.FrequencyPenalty,
		MaxTokens: p.MaxTokens(), Stop: c.StopSequences, Logprobs: c.ResponseLogprobs, TopLogprobs: c.Logprobs,
		ReasoningEffort: effort(c.ThinkingConfig),
	}
	if err := r.setFormat(p); err != nil {
		return nil, err
	}
	r.setTools(p)
	if p.System != "" {
		r.Messages = append(r.Messages, chatMessage{Role: "system", Content: p.System})
	}
	for i, content := range p.Contents {
		messages, err := chatMessages(ctx, p, content, fmt.Sprintf("contents[%d]", i))
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, messages...)
	}
	return r, nil
}

func effort(t *api.ThinkingConfig) string {
	if t == nil {
		return ""
	}
	switch t.ThinkingLevel {
	case "MINIMAL", "LOW", "MEDIUM", "HIGH":
		return strings.ToLower(string(t.ThinkingLevel))
	}
	switch b := t.ThinkingBudget; {
	case b == nil || *b < 0:
		return ""
	case *b == 0:
		return "none"
	case *b <= 1024:
		return "low"
	case *b <= 8192:
		return "medium"
	}
	return "high"
}

func (r *chatRequest) setFormat(p *api.Prompt) error {
	switch {
	case p.Config.ResponseMimeType == "text/x.enum":
		return api.ErrInvalidField("generationConfig.responseMimeType",
			"%s has no text/x.enum; use application/json with an enum schema", p.Model.ID)
	case p.Schema != nil:
		r.ResponseFormat = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": p.Schema},
		}
	case p.Config.ResponseMimeType == "application/json":
		r.ResponseFormat = map[string]any{"type": "json_object"}
	}
	return nil
}

func (r *chatRequest) setTools(p *api.Prompt) {
	for _, f := range p.AllowedFunctions() {
		r.Tools = append(r.Tools, chatTool{"function", map[string]any{
			"name": f.Name, "description": f.Description, "parameters": f.ParametersOrObject(),
		}})
	}
	if len(r.Tools) == 0 {
		return
	}
	switch p.Mode {
	case "ANY":
		r.ToolChoice = "required"
	case "NONE":
		r.ToolChoice = "none"
	default:
		r.ToolChoice = "auto"
	}
}

// chatMessages maps one turn. Answers of functions become messages of their
// own; they refer to a call by its id, or by one made of its name.
func chatMessages(ctx context.Context, p *api.Prompt, c api.Content, field string) ([]chatMessage, error) {
	role := api.RoleUser
	if c.Role == api.RoleModel {
		role = "assistant"
	}
	message := chatMessage{Role: role}
	var out []chatMessage
	var pieces []map[string]any
	for i := range c.Parts {
		part := &c.Parts[i]
		switch {
		case part.FunctionCall != nil:
			message.ToolCalls = append(message.ToolCalls, chatCall{
				ID: callID(part.FunctionCall.ID, part.FunctionCall.Name), Type: "function",
				Function: chatFunction{part.FunctionCall.Name, api.ObjectText(part.FunctionCall.Args)},
			})
		case part.FunctionResponse != nil:
			f := part.FunctionResponse
			out = append(out, chatMessage{
				Role: "tool", Content: api.ObjectText(f.Response), ToolCallID: callID(f.ID, f.Name),
			})
		case part.Thought:
		default:
			piece, err := chatPiece(ctx, p, part, fmt.Sprintf("%s.parts[%d]", field, i))
			if err != nil {
				return nil, err
			}
			pieces = append(pieces, piece)
		}
	}
	if len(pieces) == 0 && len(message.ToolCalls) == 0 {
		return out, nil
	}
	switch {
	case len(pieces) == 1 && pieces[0]["type"] == "text":
		message.Content = pieces[0]["text"]
	case len(pieces) > 0:
		message.Content = pieces
	}
	return append(out, message), nil
}

func callID(id, name string) string {
	if id != "" {
		return id
	}
	return "call_" + name
}

// chatPiece maps text and pictures; other media the form has no place for.
func chatPiece(ctx context.Context, p *api.Prompt, part *api.Part, field string) (map[string]any, error) {
	text := func(s string) (map[string]any, error) { return map[string]any{"type": "text", "text": s}, nil }
	switch {
	case part.Text != nil:
		return text(*part.Text)
	case part.ExecutableCode != nil:
		return text("```python\n" + part.ExecutableCode.Code + "\n```")
	case part.CodeExecutionResult != nil:
		return text(part.CodeExecutionResult.Output)
	}
	mimeType, data, err := p.ReadMedia(ctx, part)
	if err != nil {
		return nil, err
	}
	switch modality := tokens.Modality(mimeType); {
	case modality == "IMAGE":
		address := "data:" + tokens.MediaType(mimeType) + ";base64," + base64.StdEncoding.EncodeToString(data)
		return map[string]any{"type": "image_url", "image_url": map[string]string{"url": address}}, nil
	case modality == "TEXT" && (strings.HasPrefix(mimeType, "text/") || strings.Contains(mimeType, "json")):
		return text(strings.ToValidUTF8(string(data), "\uFFFD"))
	}
	if err := p.Lack(field, "%s takes text and images, not %s", p.Model.ID, mimeType); err != nil {
		return nil, err
	}
	return text("(a file of the type " + mimeType + ", which cannot be read)")
}

// chatChunk is one event of a stream, and also a whole completion.
type chatChunk struct {
	Choices []struct {
		Delta        chatDelta `json:"delta"`
		Message      chatDelta `json:"message"`
		FinishReason string    `json:"finish_reason"`
		Logprobs     *struct {
			Content []chatLogprob `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error *chatError `json:"error"`
}

type chatDelta struct {
	Content   string     `json:"content"`
	Reasoning string     `json:"reasoning_content"`
	ToolCalls []chatCall `json:"tool_calls"`
}

type chatLogprob struct {
	Token   string        `json:"token"`
	Logprob float64       `json:"logprob"`
	Top     []chatLogprob `json:"top_logprobs"`
}

type chatError struct {
	Message string `json:"message"`
}

// chatReader gathers a stream: text passes through at once, calls are joined,
// and the end waits for the usage that comes after it.
type chatReader struct {
	prompt *api.Prompt
	emit   func(api.Piece) error
	calls  []chatCall
	last   api.Piece
	begun  bool
}

func (r *chatReader) chunk(c *chatChunk) error {
	if c.Error != nil {
		return api.ErrUnavailable(nil, "the model's server broke off: %s", c.Error.Message)
	}
	if u := c.Usage; u != nil {
		r.last.Counts = &api.Counts{
			Prompt: u.Prompt, Completion: max(0, u.Completion-u.Details.Reasoning), Thoughts: u.Details.Reasoning,
		}
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := c.Choices[0]
	for _, d := range []chatDelta{choice.Delta, choice.Message} {
		r.addCalls(d.ToolCalls)
		var parts []api.Part
		if d.Reasoning != "" && r.prompt.Thoughts {
			parts = append(parts, api.Part{Text: &d.Reasoning, Thought: true})
		}
		if d.Content != "" {
			parts = append(parts, api.Text(d.Content))
		}
		if len(parts) == 0 {
			continue
		}
		piece := api.Piece{Parts: parts}
		if choice.Logprobs != nil {
			addChatLogprobs(&piece, choice.Logprobs.Content)
		}
		r.begun = true
		if err := r.emit(piece); err != nil {
			return err
		}
	}
	if choice.FinishReason != "" {
		r.last.Finish, r.last.Message = finishOf(choice.FinishReason)
	}
	return nil
}

func finishOf(reason string) (finish, message string) {
	switch reason {
	case "stop", "tool_calls", "function_call":
		return api.FinishStop, ""
	case "length":
		return api.FinishMaxTokens, ""
	case "content_filter":
		return api.FinishSafety, ""
	}
	return api.FinishOther, "the model's server ended with " + reason
}

func addChatLogprobs(p *api.Piece, list []chatLogprob) {
	for _, l := range list {
		p.Logprobs = append(p.Logprobs, api.TokenLogprob{Token: l.Token, LogProbability: l.Logprob})
		var top []api.TokenLogprob
		for _, t := range l.Top {
			top = append(top, api.TokenLogprob{Token: t.Token, LogProbability: t.Logprob})
		}
		if top != nil {
			p.Top = append(p.Top, api.TopCandidates{Candidates: top})
		}
	}
}

// addCalls joins the fragments of calls by their index.
func (r *chatReader) addCalls(fragments []chatCall) {
	for _, f := range fragments {
		if f.Index < 0 || f.Index > api.MaxFunctions {
			continue
		}
		for len(r.calls) <= f.Index {
			r.calls = append(r.calls, chatCall{})
		}
		c := &r.calls[f.Index]
		if f.ID != "" {
			c.ID = f.ID
		}
		c.Function.Name += f.Function.Name
		c.Function.Arguments += f.Function.Arguments
	}
}

// end sends what waited. A call whose arguments are not JSON ends the
// candidate the way the API has for it.
func (r *chatReader) end() error {
	for _, c := range r.calls {
		args := c.Function.Arguments
		if args == "" {
			args = "{}"
		}
		if !json.Valid([]byte(args)) || !api.ValidFunctionName(c.Function.Name) {
			r.last.Finish, r.last.Message = api.FinishMalformedCall, "the model made a function call that is not valid"
			r.last.Parts = nil
			break
		}
		r.last.Parts = append(r.last.Parts, api.Part{
			FunctionCall: &api.FunctionCall{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(args)},
		})
	}
	return r.emit(r.last)
}
