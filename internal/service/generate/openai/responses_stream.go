package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
)

// ResponseStream turns the chunks of one answer into a Response and its events.
type ResponseStream struct {
	response Response
	emit     func(Event) error
	sequence int
	begun    bool
	oneCall  bool
	calls    int
	finish   api.Candidate
}

// NewResponseStream makes a ResponseStream. Events go to emit; nil takes none.
func NewResponseStream(r *ResponsesRequest, now time.Time, emit func(Event) error) *ResponseStream {
	if emit == nil {
		emit = func(Event) error { return nil }
	}
	s := &ResponseStream{emit: emit, oneCall: r.ParallelToolCalls != nil && !*r.ParallelToolCalls}
	s.response = Response{
		Object: "response", CreatedAt: now.Unix(), Status: "in_progress", MaxOutputTokens: r.MaxOutputTokens,
		Output: []outputItem{}, ParallelToolCalls: !s.oneCall, Store: r.Store != nil && *r.Store,
		Temperature: r.Temperature, TopP: r.TopP, ToolChoice: r.ToolChoice, Tools: []tool{},
		Truncation: "disabled", Metadata: json.RawMessage("{}"), ServiceTier: "default",
		Text: responseText{Format: &answerFormat{Type: "text"}},
	}
	out := &s.response
	out.Tools = append(out.Tools, r.Tools...)
	if r.Instructions != "" {
		out.Instructions = &r.Instructions
	}
	if r.Text != nil && r.Text.Format != nil {
		out.Text = *r.Text
	}
	if r.User != "" {
		out.User = &r.User
	}
	if api.Given(r.Metadata) {
		out.Metadata = r.Metadata
	}
	if r.Truncation != "" {
		out.Truncation = r.Truncation
	}
	if r.ServiceTier != "" && r.ServiceTier != "auto" {
		out.ServiceTier = r.ServiceTier
	}
	if r.Reasoning != nil && r.Reasoning.Effort != "" {
		out.Reasoning.Effort = &r.Reasoning.Effort
	}
	return s
}

// Take adds a chunk.
func (s *ResponseStream) Take(r *api.Response) error {
	s.response.ID, s.response.Model, s.response.Notes = "resp_"+r.ResponseID, r.ModelVersion, r.Notes
	u := usageOf(r.UsageMetadata)
	s.response.Usage = &responseUsage{
		u.PromptTokens, u.PromptDetails, u.CompletionTokens, *u.Details, u.TotalTokens,
	}
	if !s.begun {
		s.begun = true
		for _, name := range []string{"response.created", "response.in_progress"} {
			if err := s.snapshot(name); err != nil {
				return err
			}
		}
	}
	for _, candidate := range candidatesOf(r) {
		for _, part := range partsOf(candidate) {
			if err := s.part(part); err != nil {
				return err
			}
		}
		if candidate.FinishReason != "" {
			s.finish = candidate
		}
	}
	return nil
}

// End closes the last item and returns the whole response.
func (s *ResponseStream) End() (*Response, error) {
	reason, refusal := finishOf(s.finish, false)
	if refusal != "" && len(s.response.Output) == 0 {
		if err := s.text("message", refusal); err != nil {
			return nil, err
		}
	}
	if err := s.closeText(); err != nil {
		return nil, err
	}
	s.response.Status = "completed"
	switch reason {
	case "length":
		s.response.Status, s.response.IncompleteDetails = "incomplete", &incompleteDetails{"max_output_tokens"}
	case "content_filter":
		s.response.Status, s.response.IncompleteDetails = "incomplete", &incompleteDetails{"content_filter"}
	}
	return &s.response, s.snapshot("response." + s.response.Status)
}

// Fail is the last event of a stream that broke off.
func (s *ResponseStream) Fail(e ErrorBody) error {
	return s.event("error", map[string]any{"code": e.Code, "message": e.Message, "param": e.Param})
}

func (s *ResponseStream) event(name string, body map[string]any) error {
	body["type"], body["sequence_number"] = name, s.sequence
	s.sequence++
	return s.emit(Event{name, body})
}

// snapshot is an event with the response as it is now.
func (s *ResponseStream) snapshot(name string) error {
	now := s.response
	if name == "response.created" || name == "response.in_progress" {
		now.Usage = nil
	}
	return s.event(name, map[string]any{"response": &now})
}

func (s *ResponseStream) part(part api.Part) error {
	switch {
	case part.FunctionCall != nil:
		if s.oneCall && s.calls > 0 {
			return nil
		}
		return s.call(part.FunctionCall)
	case part.Thought:
		return s.text("reasoning", textOf(part))
	}
	return s.text("message", textOf(part))
}

func (s *ResponseStream) itemID(kind string) string {
	return fmt.Sprintf("%s_%s_%d", kind, strings.TrimPrefix(s.response.ID, "resp_"), len(s.response.Output))
}
