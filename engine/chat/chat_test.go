package chat_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/engine/grammar"
)

var add = chat.Function{Name: "add", Description: "adds", Parameters: map[string]any{
	"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/n"}}, "required": []string{"a"},
	"$defs": map[string]any{"n": map[string]any{"type": "integer"}},
}}

func TestApply(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		format                  chat.ResponseFormat
		words, grammar, trigger string
	}{
		"free text":   {},
		"a call":      {chat.ResponseFormat{Functions: []chat.Function{add}, MustCall: true}, "Call one of", `"<tool_call>"`, ""},
		"may call":    {chat.ResponseFormat{Functions: []chat.Function{add}}, `"name":"add"`, `"<tool_call>"`, "<tool_call>"},
		"one of":      {chat.ResponseFormat{Enum: []string{"a", "b"}}, "one of: a, b", `root ::= "a" | "b"`, ""},
		"any JSON":    {chat.ResponseFormat{JSON: true}, "in JSON.", "root ::=", ""},
		"fits schema": {chat.ResponseFormat{JSON: true, Schema: add.Parameters}, "fits this schema", "root ::=", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p engine.Prompt
			words, err := row.format.Apply(t.Context(), &p)
			if err != nil || !strings.Contains(words, row.words) || !strings.Contains(p.Grammar, row.grammar) || p.Trigger != row.trigger {
				t.Errorf("words %q, trigger %q, err %v, grammar\n%s", words, p.Trigger, err, p.Grammar)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	both := chat.ResponseFormat{Functions: []chat.Function{add}, JSON: true}
	if _, err := both.Apply(t.Context(), &engine.Prompt{}); !errors.Is(err, chat.ErrBoth) {
		t.Errorf("functions and JSON: %v, want ErrBoth", err)
	}
	unkept := chat.ResponseFormat{JSON: true, Schema: map[string]any{"not": map[string]any{}}}
	var e *grammar.Error
	if _, err := unkept.Apply(t.Context(), &engine.Prompt{}); !errors.As(err, &e) || e.Path != "not" {
		t.Errorf("a schema that cannot be kept: %v, want a *grammar.Error at not", err)
	}
}

// TestReader cuts an answer at every place.
func TestReader(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		text, name, args string
		valid            bool
	}{
		"only words <tool":                     {text: "only words <tool", valid: true},
		"so: " + chat.CallText("f", `{"a":1}`): {"so: ", "f", `{"a":1}`, true},
		`<tool_call>{"name": "f", "ar`:         {valid: false},
	} {
		for at := range answer {
			r := chat.NewReader()
			text := r.Push(answer[:at]) + r.Push(answer[at:])
			rest, call, valid := r.End()
			if text+rest != want.text || valid != want.valid {
				t.Fatalf("%q cut at %d: text %q, valid %v", answer, at, text+rest, valid)
			}
			if want.name != "" && (call == nil || call.Name != want.name || string(call.Args) != want.args) {
				t.Fatalf("%q cut at %d: call %+v, want %s(%s)", answer, at, call, want.name, want.args)
			}
		}
	}
	if got := chat.ResultText("f", `{"n":2}`); !strings.Contains(got, `"response": {"n":2}`) {
		t.Errorf("a result = %s", got)
	}
}
