package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/grammar"
)

// Call is a function call that a model has made.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// CallText is a call as a model writes it; args is JSON.
func CallText(name, args string) string {
	return fmt.Sprintf(`%s{"name": %q, "args": %s}%s`, callStart, name, args, callEnd)
}

// ResultText is the result of a function as a model reads it; response is JSON.
func ResultText(name, response string) string {
	return fmt.Sprintf(`%s{"name": %q, "response": %s}%s`, resultStart, name, response, resultEnd)
}

// Reader finds the call in a growing answer.
type Reader struct {
	start *engine.StopMatcher
	// call is what came since the start of one.
	call   []byte
	inCall bool
}

// NewReader makes a Reader.
func NewReader() *Reader { return &Reader{start: engine.NewStopMatcher([]string{callStart})} }

// Push takes the next text of the answer and gives what of it is no call.
func (r *Reader) Push(text string) string {
	if r.inCall {
		r.call = append(r.call, text...)
		return ""
	}
	text, r.inCall = r.start.Push([]byte(text))
	if r.inCall {
		r.call = []byte(r.start.Rest())
	}
	return text
}

// End gives what is left at the end of an answer: text, or a call. A call that
// broke off is not valid.
func (r *Reader) End() (rest string, call *Call, valid bool) {
	if !r.inCall {
		return r.start.Rest(), nil, true
	}
	body, _, _ := strings.Cut(string(r.call), callEnd)
	call = &Call{}
	return "", call, json.Unmarshal([]byte(body), call) == nil
}

// What stands around a function call, and around the result of a function.
const (
	callStart   = "<tool_call>"
	callEnd     = "</tool_call>"
	resultStart = "<tool_response>"
	resultEnd   = "</tool_response>"
)

// Function is one that a model may call, with its parameters as JSON Schema; nil
// is any object.
type Function struct {
	Name, Description string
	Parameters        map[string]any
}

// parameters are a function's own, or any object.
func (f Function) parameters() map[string]any {
	if f.Parameters == nil {
		return map[string]any{"type": "object"}
	}
	return f.Parameters
}

// callGrammar allows one call of one of the functions, with arguments that fit.
func callGrammar(ctx context.Context, functions []Function) (string, error) {
	defs := map[string]any{}
	var calls []any
	for i, f := range functions {
		// References inside parameters start at their own root.
		name := fmt.Sprintf("f%d", i)
		raw, err := json.Marshal(f.parameters())
		if err != nil {
			return "", err
		}
		raw = []byte(strings.ReplaceAll(string(raw), `"$ref":"#`, `"$ref":"#/$defs/`+name))
		var parameters map[string]any
		if err := json.Unmarshal(raw, &parameters); err != nil {
			return "", err
		}
		defs[name] = parameters
		calls = append(calls, map[string]any{
			"type": "object", "required": []string{"name", "args"}, "propertyOrdering": []string{"name", "args"},
			"properties": map[string]any{
				"name": map[string]any{"const": f.Name}, "args": map[string]any{"$ref": "#/$defs/" + name},
			},
		})
	}
	text, err := grammar.FromSchema(ctx, map[string]any{"$defs": defs, "anyOf": calls})
	return grammar.Between(callStart, text, callEnd), err
}

// callHelp explains what can be called, and how.
func callHelp(functions []Function, must bool) string {
	var b strings.Builder
	if must {
		b.WriteString("Call one of these functions.")
	} else {
		b.WriteString("You can call these functions when they help to answer; otherwise answer in words.")
	}
	fmt.Fprintf(&b, " To call one, write %s{\"name\": NAME, \"args\": ARGUMENTS}%s "+
		"with the arguments as JSON.\nFunctions:", callStart, callEnd)
	for _, f := range functions {
		encoded, err := json.Marshal(map[string]any{
			"name": f.Name, "description": f.Description, "parameters": f.parameters(),
		})
		if err == nil { // it came out of JSON
			b.WriteString("\n" + string(encoded))
		}
	}
	return b.String()
}
