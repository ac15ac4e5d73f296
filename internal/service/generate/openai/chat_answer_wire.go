package openai

import (
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
)

// ChatCompletion is a whole answer, and with other members one chunk of a stream.
type ChatCompletion struct {
	ID          string       `json:"id"`
	Object      string       `json:"object"`
	Created     int64        `json:"created"`
	Model       string       `json:"model"`
	Choices     []chatChoice `json:"choices"`
	Usage       *chatUsage   `json:"usage,omitempty"`
	ServiceTier string       `json:"service_tier,omitempty"`
	// Notes say what of the request the model could not honour.
	Notes []string `json:"notes,omitempty"`
}

type chatChoice struct {
	Index        int           `json:"index"`
	Message      *chatReply    `json:"message,omitempty"`
	Delta        *chatDelta    `json:"delta,omitempty"`
	Logprobs     *chatLogprobs `json:"logprobs"`
	FinishReason *string       `json:"finish_reason"`
}

// chatReply is a whole message; its members are there also when they are null.
type chatReply struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

// chatDelta is what a chunk adds to a message.
type chatDelta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Refusal   *string    `json:"refusal,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type chatUsage struct {
	PromptTokens     int              `json:"prompt_tokens"`
	CompletionTokens int              `json:"completion_tokens"`
	TotalTokens      int              `json:"total_tokens"`
	PromptDetails    cachedTokens     `json:"prompt_tokens_details"`
	Details          *reasoningTokens `json:"completion_tokens_details,omitempty"`
}

type cachedTokens struct {
	CachedTokens int `json:"cached_tokens"`
}

type reasoningTokens struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

type chatLogprobs struct {
	Content []chatLogprob `json:"content"`
}

type chatLogprob struct {
	Token       string        `json:"token"`
	Logprob     float64       `json:"logprob"`
	Bytes       []int         `json:"bytes"`
	TopLogprobs []chatLogprob `json:"top_logprobs,omitempty"`
}

// usageOf counts as this form does: thoughts are part of the completion.
func usageOf(u api.Usage) *chatUsage {
	completion := u.CandidatesTokenCount + u.ThoughtsTokenCount
	return &chatUsage{
		PromptTokens: u.PromptTokenCount, CompletionTokens: completion,
		TotalTokens:   u.PromptTokenCount + completion,
		PromptDetails: cachedTokens{u.CachedContentTokenCount},
		Details:       &reasoningTokens{u.ThoughtsTokenCount},
	}
}

// ChatStream turns the chunks of one answer into chat completions.
type ChatStream struct {
	created int64
	usage   bool
	oneCall bool
	tier    string
	// begun and calls are of each candidate.
	begun map[int]bool
	calls map[int]int
	last  api.Response
}

// NewChatStream makes a ChatStream for a request that is answered now.
func NewChatStream(r *ChatRequest, now time.Time) *ChatStream {
	return &ChatStream{
		created: now.Unix(), usage: r.StreamOptions != nil && r.StreamOptions.IncludeUsage,
		oneCall: r.ParallelToolCalls != nil && !*r.ParallelToolCalls, tier: r.ServiceTier,
		begun: map[int]bool{}, calls: map[int]int{},
	}
}

func (s *ChatStream) frame(object string, r *api.Response) *ChatCompletion {
	return &ChatCompletion{
		ID: "chatcmpl-" + r.ResponseID, Object: object, Created: s.created, Model: r.ModelVersion,
		ServiceTier: s.tier, Choices: []chatChoice{}, Notes: r.Notes,
	}
}

// Whole is the answer of a request that does not stream.
func (s *ChatStream) Whole(r *api.Response) *ChatCompletion {
	out := s.frame("chat.completion", r)
	out.Usage = usageOf(r.UsageMetadata)
	for _, candidate := range candidatesOf(r) {
		delta, choice := s.choice(r.ResponseID, candidate)
		for i := range delta.ToolCalls {
			delta.ToolCalls[i].Index = nil
		}
		choice.Message = &chatReply{
			Role: "assistant", Content: delta.Content, Refusal: delta.Refusal, Reasoning: delta.Reasoning,
			ToolCalls: delta.ToolCalls,
		}
		if choice.Message.Content == nil && delta.Refusal == nil && len(delta.ToolCalls) == 0 {
			choice.Message.Content = new(string)
		}
		out.Choices = append(out.Choices, choice)
	}
	return out
}

// Chunk is one chunk of a stream.
func (s *ChatStream) Chunk(r *api.Response) *ChatCompletion {
	s.last = *r
	out := s.frame("chat.completion.chunk", r)
	for _, candidate := range candidatesOf(r) {
		delta, choice := s.choice(r.ResponseID, candidate)
		if !s.begun[choice.Index] {
			s.begun[choice.Index], delta.Role = true, "assistant"
		}
		choice.Delta = &delta
		out.Choices = append(out.Choices, choice)
	}
	return out
}

// Usage is the chunk before the end that callers may ask for; nil otherwise.
func (s *ChatStream) Usage() *ChatCompletion {
	if !s.usage {
		return nil
	}
	out := s.frame("chat.completion.chunk", &s.last)
	out.Usage = usageOf(s.last.UsageMetadata)
	return out
}

// candidatesOf is the candidates of an answer; a prompt that is blocked has one,
// which says so.
func candidatesOf(r *api.Response) []api.Candidate {
	if r.PromptFeedback != nil {
		return []api.Candidate{{
			FinishReason: api.FinishSafety, FinishMessage: "the prompt was blocked: " + r.PromptFeedback.BlockReason,
		}}
	}
	return r.Candidates
}

// choice reads what one chunk says of one candidate.
func (s *ChatStream) choice(id string, c api.Candidate) (chatDelta, chatChoice) {
	var delta chatDelta
	var text strings.Builder
	said := false
	for _, part := range partsOf(c) {
		switch {
		case part.FunctionCall != nil:
			if n := s.calls[c.Index]; !s.oneCall || n == 0 {
				delta.ToolCalls = append(delta.ToolCalls, toolCall(id, c.Index, n, part.FunctionCall))
				s.calls[c.Index]++
			}
		case part.Thought:
			delta.Reasoning += textOf(part)
		default:
			text.WriteString(textOf(part))
			said = true
		}
	}
	if said {
		content := text.String()
		delta.Content = &content
	}
	choice := chatChoice{Index: c.Index, Logprobs: logprobsOf(c.LogprobsResult)}
	if c.FinishReason != "" {
		reason, refusal := finishOf(c, s.calls[c.Index] > 0)
		choice.FinishReason = &reason
		if refusal != "" {
			delta.Refusal = &refusal
		}
	}
	return delta, choice
}

func partsOf(c api.Candidate) []api.Part {
	if c.Content == nil {
		return nil
	}
	return c.Content.Parts
}

// textOf is a part as text; programs and what they printed are fenced.
func textOf(part api.Part) string {
	switch {
	case part.Text != nil:
		return *part.Text
	case part.ExecutableCode != nil:
		return "\n```python\n" + part.ExecutableCode.Code + "\n```\n"
	case part.CodeExecutionResult != nil:
		return "\n```\n" + part.CodeExecutionResult.Output + "\n```\n"
	}
	return ""
}

// callID is the id of a call, made of the answer's when the model gave none.
func callID(answer string, candidate, n int, call *api.FunctionCall) string {
	if call.ID != "" {
		return call.ID
	}
	return fmt.Sprintf("call_%s_%d_%d", answer, candidate, n)
}

func toolCall(answer string, candidate, n int, call *api.FunctionCall) chatCall {
	return chatCall{
		Index: &n, ID: callID(answer, candidate, n, call), Type: "function",
		Function: chatFunction{Name: call.Name, Arguments: api.ObjectText(call.Args)},
	}
}

// finishOf is why a candidate ended, and what there is to say about it.
func finishOf(c api.Candidate, called bool) (reason, refusal string) {
	switch c.FinishReason {
	case api.FinishStop:
		if called {
			return "tool_calls", ""
		}
		return "stop", ""
	case api.FinishMaxTokens:
		return "length", ""
	case api.FinishSafety:
		if c.FinishMessage == "" {
			return "content_filter", "the answer was blocked"
		}
		return "content_filter", c.FinishMessage
	}
	if c.FinishMessage == "" {
		return "stop", "the model ended with " + c.FinishReason
	}
	return "stop", c.FinishMessage
}

func logprobsOf(l *api.LogprobsResult) *chatLogprobs {
	if l == nil {
		return nil
	}
	out := &chatLogprobs{Content: []chatLogprob{}}
	for i, chosen := range l.ChosenCandidates {
		entry := logprobOf(chosen)
		if i < len(l.TopCandidates) {
			for _, top := range l.TopCandidates[i].Candidates {
				entry.TopLogprobs = append(entry.TopLogprobs, logprobOf(top))
			}
		}
		out.Content = append(out.Content, entry)
	}
	return out
}

func logprobOf(t api.TokenLogprob) chatLogprob {
	out := chatLogprob{Token: t.Token, Logprob: t.LogProbability, Bytes: []int{}}
	for _, b := range []byte(t.Token) {
		out.Bytes = append(out.Bytes, int(b))
	}
	return out
}
