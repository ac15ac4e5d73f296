package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine"
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
