package openai

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// open is the item of text that is being written, nil when there is none.
func (s *ResponseStream) open() (at int, item *outputItem) {
	at = len(s.response.Output) - 1
	if at < 0 || s.response.Output[at].text == nil {
		return at, nil
	}
	return at, &s.response.Output[at]
}

// text adds to the item of a kind, and begins one where that is not the last.
func (s *ResponseStream) text(kind, delta string) error {
	if delta == "" {
		return nil
	}
	at, item := s.open()
	if item == nil || item.Type != kind {
		if err := s.closeText(); err != nil {
			return err
		}
		if err := s.openText(kind); err != nil {
			return err
		}
		at, item = s.open()
	}
	item.text.WriteString(delta)
	if kind == "reasoning" {
		return s.event("response.reasoning_summary_text.delta", map[string]any{
			"item_id": item.ID, "output_index": at, "summary_index": 0, "delta": delta,
		})
	}
	return s.event("response.output_text.delta", map[string]any{
		"item_id": item.ID, "output_index": at, "content_index": 0, "delta": delta, "logprobs": []any{},
	})
}

func (s *ResponseStream) openText(kind string) error {
	item := outputItem{Type: kind, Status: "in_progress", text: &strings.Builder{}}
	added, index, list := "response.content_part.added", "content_index", &[]outputPart{}
	if kind == "reasoning" {
		item.ID, item.Summary, item.Status = s.itemID("rs"), list, ""
		added, index = "response.reasoning_summary_part.added", "summary_index"
	} else {
		item.ID, item.Role, item.Content = s.itemID("msg"), "assistant", list
	}
	s.response.Output = append(s.response.Output, item)
	at := len(s.response.Output) - 1
	if err := s.event("response.output_item.added", map[string]any{"output_index": at, "item": item}); err != nil {
		return err
	}
	return s.event(added, map[string]any{
		"item_id": item.ID, "output_index": at, index: 0, "part": partOf(kind, ""),
	})
}

func partOf(kind, text string) outputPart {
	if kind == "reasoning" {
		return outputPart{Type: "summary_text", Text: text}
	}
	return outputPart{Type: "output_text", Text: text, Annotations: &[]json.RawMessage{}}
}

// closeText ends the item of text that is being written.
func (s *ResponseStream) closeText() error {
	at, item := s.open()
	if item == nil {
		return nil
	}
	part := partOf(item.Type, item.text.String())
	item.text = nil
	text, done, index := "response.output_text.done", "response.content_part.done", "content_index"
	if item.Type == "reasoning" {
		*item.Summary = append(*item.Summary, part)
		text, done, index = "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "summary_index"
	} else {
		*item.Content, item.Status = append(*item.Content, part), "completed"
	}
	body := map[string]any{"item_id": item.ID, "output_index": at, index: 0, "text": part.Text}
	if item.Type == "message" {
		body["logprobs"] = []any{}
	}
	if err := s.event(text, body); err != nil {
		return err
	}
	if err := s.event(done, map[string]any{
		"item_id": item.ID, "output_index": at, index: 0, "part": part,
	}); err != nil {
		return err
	}
	return s.event("response.output_item.done", map[string]any{"output_index": at, "item": *item})
}

// call adds a function call, which comes as a whole.
func (s *ResponseStream) call(call *api.FunctionCall) error {
	if err := s.closeText(); err != nil {
		return err
	}
	arguments := api.ObjectText(call.Args)
	item := outputItem{
		ID: s.itemID("fc"), Type: "function_call", Status: "in_progress", Name: call.Name, Arguments: new(string),
		CallID: callID(strings.TrimPrefix(s.response.ID, "resp_"), 0, s.calls, call),
	}
	s.calls++
	at := len(s.response.Output)
	if err := s.event("response.output_item.added", map[string]any{"output_index": at, "item": item}); err != nil {
		return err
	}
	if err := s.event("response.function_call_arguments.delta", map[string]any{
		"item_id": item.ID, "output_index": at, "delta": arguments,
	}); err != nil {
		return err
	}
	if err := s.event("response.function_call_arguments.done", map[string]any{
		"item_id": item.ID, "output_index": at, "name": call.Name, "arguments": arguments,
	}); err != nil {
		return err
	}
	item.Arguments, item.Status = &arguments, "completed"
	s.response.Output = append(s.response.Output, item)
	return s.event("response.output_item.done", map[string]any{"output_index": at, "item": item})
}
