package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Call is one request. Path is relative to the server's address; a body is sent as JSON
// unless Header says otherwise.
type Call struct {
	Method string // GET when empty
	Path   string
	Bearer string
	Header http.Header
	Body   string
	// Host is sent instead of the server's own, for hosts of teams.
	Host string
	// Again is for a call that is repeated until something has happened: how often
	// depends on the machine, so that it draws no identifier and is not compared.
	Again bool
	// Waits is for a call that may be refused before its body is read: a long body is sent
	// when the server asks for it, so that no connection ends while it is being sent.
	Waits bool
}

// againID names the requests of calls that are repeated.
const againID = "asked-again"

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	call   Call
}

// Do sends the call on a connection of its own; where the server meets faults, once so
// that it fails and then in earnest.
func (h *Server) Do(t *testing.T, c Call) *Answer {
	t.Helper()
	h.order(t)
	if c.Method == "" {
		c.Method = http.MethodGet
	}
	if c.Method == http.MethodDelete {
		h.links.follow(t)
	}
	if h.faults != nil {
		if a, done := h.fail(t, func(mark string) *Answer { return h.send(t, c, mark) }, h.request(t, c)); done {
			return a
		}
	}
	return h.send(t, c, "")
}

// request is the call as a request of the server.
func (h *Server) request(t *testing.T, c Call) *http.Request {
	t.Helper()
	var body io.Reader
	if c.Body != "" {
		body = strings.NewReader(c.Body)
	}
	r, err := http.NewRequestWithContext(t.Context(), c.Method, h.URL+c.Path, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range c.Header {
		r.Header[name] = slices.Clone(values)
	}
	if c.Host != "" {
		r.Host = c.Host
	}
	if c.Body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Again {
		r.Header.Set("X-Request-Id", againID)
	}
	if c.Bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.Bearer)
	}
	if c.Waits && len(c.Body) > keptUnread {
		r.Header.Set("Expect", "100-continue")
	}
	return r
}

// keptUnread is how much of a body may stay unread before the server ends the connection of
// a request that it refuses.
const keptUnread = 8 << 10

// undrained is how much of a body the server reads that it has refused already.
const undrained = 256 << 10

// send makes the request. A mark makes it meet the fault of a rule; then the answer is
// nil where the server ended the connection while a large body was still being sent.
func (h *Server) send(t *testing.T, c Call, mark string) *Answer {
	t.Helper()
	r := h.request(t, c)
	if mark != "" {
		r.Header.Set(faultHeader, mark)
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if mark != "" && len(c.Body) > undrained && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s %s: %v", c.Method, c.Path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", c.Method, c.Path, err)
	}
	h.see(t, r, response, text)
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: text, call: c}
}

// String names the call and the answer, for messages.
func (a *Answer) String() string {
	return fmt.Sprintf("%s %s %s => %d %s", a.call.Method, a.call.Path, a.call.Body, a.Status, a.Body)
}

// Want fails unless the status is one of those named.
func (a *Answer) Want(t *testing.T, status ...int) *Answer {
	t.Helper()
	for _, s := range status {
		if a.Status == s {
			return a
		}
	}
	t.Fatalf("%v, want status %v", a, status)
	return a
}

// Refused fails unless the answer is a client error with a JSON object for a
// body: the contract's "not accepted" without a fixed status.
func (a *Answer) Refused(t *testing.T) *Answer {
	t.Helper()
	if a.Status < 400 || a.Status > 499 {
		t.Fatalf("%v, want a refusal", a)
	}
	a.Object(t)
	return a
}

// Object decodes the body. Numbers stay json.Number, so that a test can tell
// an integer from a fraction and a number from a string.
func (a *Answer) Object(t *testing.T) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		t.Fatalf("%v: the body is not a JSON object: %v", a, err)
	}
	return object
}

// Member walks into an object: Member(t, o, "fieldLimits", "textLimits").
func Member(t *testing.T, object map[string]any, path ...string) any {
	t.Helper()
	var value any = object
	for i, name := range path {
		inner, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("%s is %T, want an object", strings.Join(path[:i], "."), value)
		}
		if value, ok = inner[name]; !ok {
			t.Fatalf("%s is missing in %v", strings.Join(path[:i+1], "."), inner)
		}
	}
	return value
}

// Sub is Member for a value that must itself be an object.
func Sub(t *testing.T, object map[string]any, path ...string) map[string]any {
	t.Helper()
	value, ok := Member(t, object, path...).(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want an object", strings.Join(path, "."), Member(t, object, path...))
	}
	return value
}

// Integer fails unless the member is a JSON number without a fraction.
func Integer(t *testing.T, object map[string]any, path ...string) int64 {
	t.Helper()
	number, ok := Member(t, object, path...).(json.Number)
	if !ok {
		t.Fatalf("%s is %T, want a number", strings.Join(path, "."), Member(t, object, path...))
	}
	n, err := number.Int64()
	if err != nil {
		t.Fatalf("%s is %s, want an integer", strings.Join(path, "."), number)
	}
	return n
}

// Text fails unless the member is a JSON string.
func Text(t *testing.T, object map[string]any, path ...string) string {
	t.Helper()
	s, ok := Member(t, object, path...).(string)
	if !ok {
		t.Fatalf("%s is %T, want a string", strings.Join(path, "."), Member(t, object, path...))
	}
	return s
}

// Only fails when the object has other members than those named.
func Only(t *testing.T, object map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := object[name]; !ok {
			t.Errorf("member %s is missing in %v", name, object)
		}
	}
	if len(object) != len(names) {
		t.Errorf("members of %v: got %d, want %d %v", object, len(object), len(names), names)
	}
}
