package generate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	TopK             *int            `json:"top_k,omitempty"`
	Seed             *int64          `json:"seed,omitempty"`
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

// newChatRequest says a prompt in the other API's words, or refuses what
// those have no words for.
func newChatRequest(ctx context.Context, p *Prompt, candidate int) (*chatRequest, error) {
	if p.Code {
		return nil, errInvalid("tools", "codeExecution: %s", noSandbox)
	}
	c := p.Config
	r := &chatRequest{
		Model: p.Model.UpstreamModel, Stream: true, StreamOptions: map[string]bool{"include_usage": true},
		Temperature: c.Temperature, TopP: c.TopP, PresencePenalty: c.PresencePenalty, FrequencyPenalty: c.FrequencyPenalty,
		MaxTokens: p.maxTokens(), Stop: c.StopSequences, Logprobs: c.ResponseLogprobs, TopLogprobs: c.Logprobs,
		ReasoningEffort: effort(c.ThinkingConfig),
	}
	if r.Model == "" {
		r.Model = p.Model.ID
	}
	if c.TopK != nil {
		k := int(*c.TopK)
		r.TopK = &k
	}
	if c.Seed != nil {
		// Candidates of one seed must differ and still repeat.
		seed := int64(*c.Seed) + int64(candidate)
		r.Seed = &seed
	}
	if err := r.setForm(p); err != nil {
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

func effort(t *ThinkingConfig) string {
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

func (r *chatRequest) setForm(p *Prompt) error {
	switch {
	case p.Config.ResponseMimeType == "text/x.enum":
		return errInvalid("generationConfig.responseMimeType", "%s has no text/x.enum; use application/json with an enum schema", p.Model.ID)
	case p.Schema != nil:
		r.ResponseFormat = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": p.Schema}}
	case p.Config.ResponseMimeType == "application/json":
		r.ResponseFormat = map[string]any{"type": "json_object"}
	}
	return nil
}

func (r *chatRequest) setTools(p *Prompt) {
	for _, f := range p.Functions {
		if len(p.Allowed) > 0 && !slices.Contains(p.Allowed, f.Name) {
			continue
		}
		r.Tools = append(r.Tools, chatTool{"function", map[string]any{
			"name": f.Name, "description": f.Description, "parameters": orObject(f.Parameters),
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
// own; they refer to a call by its id, or by a name-made one.
func chatMessages(ctx context.Context, p *Prompt, c Content, field string) ([]chatMessage, error) {
	role := RoleUser
	if c.Role == RoleModel {
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
				Function: chatFunction{part.FunctionCall.Name, orEmpty(part.FunctionCall.Args)},
			})
		case part.FunctionResponse != nil:
			f := part.FunctionResponse
			out = append(out, chatMessage{Role: "tool", Content: orEmpty(f.Response), ToolCallID: callID(f.ID, f.Name)})
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

func orEmpty(raw json.RawMessage) string {
	if !given(raw) {
		return "{}"
	}
	return string(raw)
}

// chatPiece maps text and pictures; other media the form has no place for.
func chatPiece(ctx context.Context, p *Prompt, part *Part, field string) (map[string]any, error) {
	var mimeType string
	var data []byte
	var err error
	switch {
	case part.Text != nil:
		return map[string]any{"type": "text", "text": *part.Text}, nil
	case part.ExecutableCode != nil:
		return map[string]any{"type": "text", "text": "```python\n" + part.ExecutableCode.Code + "\n```"}, nil
	case part.CodeExecutionResult != nil:
		return map[string]any{"type": "text", "text": part.CodeExecutionResult.Output}, nil
	case part.InlineData != nil:
		mimeType = part.InlineData.MimeType
		data, err = decodeBase64(part.InlineData.Data)
	case part.FileData != nil:
		mimeType, data, err = p.Media(ctx, part.FileData)
	}
	if err != nil {
		return nil, err
	}
	switch modality := modalityOf(mimeType); {
	case modality == "IMAGE":
		address := "data:" + bareType(mimeType) + ";base64," + base64.StdEncoding.EncodeToString(data)
		return map[string]any{"type": "image_url", "image_url": map[string]string{"url": address}}, nil
	case modality == "TEXT" && (strings.HasPrefix(mimeType, "text/") || strings.Contains(mimeType, "json")):
		return map[string]any{"type": "text", "text": strings.ToValidUTF8(string(data), "\uFFFD")}, nil
	}
	return nil, errInvalid(field, "%s takes text and images, not %s", p.Model.ID, mimeType)
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

// listener gathers a stream: text passes through at once, calls are joined,
// and the end waits for the usage that comes after it.
type listener struct {
	prompt *Prompt
	emit   func(Piece) error
	calls  []chatCall
	last   Piece
	begun  bool
}

func (l *listener) chunk(c *chatChunk) error {
	if c.Error != nil {
		return errUnavailable(nil, "the model's server broke off: %s", c.Error.Message)
	}
	if u := c.Usage; u != nil {
		l.last.Counts = &Counts{Prompt: u.Prompt, Completion: max(0, u.Completion-u.Details.Reasoning), Thoughts: u.Details.Reasoning}
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := c.Choices[0]
	for _, d := range []chatDelta{choice.Delta, choice.Message} {
		l.addCalls(d.ToolCalls)
		var parts []Part
		if d.Reasoning != "" && l.prompt.Thoughts {
			parts = append(parts, Part{Text: &d.Reasoning, Thought: true})
		}
		if d.Content != "" {
			parts = append(parts, text(d.Content))
		}
		if len(parts) == 0 {
			continue
		}
		piece := Piece{Parts: parts}
		if choice.Logprobs != nil {
			addChatLogprobs(&piece, choice.Logprobs.Content)
		}
		l.begun = true
		if err := l.emit(piece); err != nil {
			return err
		}
	}
	if choice.FinishReason != "" {
		l.last.Finish, l.last.Message = finishOf(choice.FinishReason)
	}
	return nil
}

func finishOf(reason string) (finish, message string) {
	switch reason {
	case "stop", "tool_calls", "function_call":
		return FinishStop, ""
	case "length":
		return FinishMaxTokens, ""
	case "content_filter":
		return FinishSafety, ""
	}
	return FinishOther, "the model's server ended with " + reason
}

func addChatLogprobs(p *Piece, list []chatLogprob) {
	for _, l := range list {
		p.Logprobs = append(p.Logprobs, TokenLogprob{Token: l.Token, LogProbability: l.Logprob})
		var top []TokenLogprob
		for _, t := range l.Top {
			top = append(top, TokenLogprob{Token: t.Token, LogProbability: t.Logprob})
		}
		if top != nil {
			p.Top = append(p.Top, TopCandidates{top})
		}
	}
}

// addCalls joins the fragments of calls by their index.
func (l *listener) addCalls(fragments []chatCall) {
	for _, f := range fragments {
		if f.Index < 0 || f.Index > maxFunctions {
			continue
		}
		for len(l.calls) <= f.Index {
			l.calls = append(l.calls, chatCall{})
		}
		c := &l.calls[f.Index]
		if f.ID != "" {
			c.ID = f.ID
		}
		c.Function.Name += f.Function.Name
		c.Function.Arguments += f.Function.Arguments
	}
}

// end sends what waited. A call whose arguments are not JSON ends the
// candidate the way the API has for it.
func (l *listener) end() error {
	for _, c := range l.calls {
		args := c.Function.Arguments
		if args == "" {
			args = "{}"
		}
		if !json.Valid([]byte(args)) || !functionName(c.Function.Name) {
			l.last.Finish, l.last.Message = "MALFORMED_FUNCTION_CALL", "the model made a function call that is not valid"
			l.last.Parts = nil
			break
		}
		l.last.Parts = append(l.last.Parts, Part{FunctionCall: &FunctionCall{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(args)}})
	}
	return l.emit(l.last)
}
