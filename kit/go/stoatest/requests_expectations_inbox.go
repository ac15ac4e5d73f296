package stoatest

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// Requests is what a world was asked and what it answered.
type Requests struct{ world *TestWorld }

// Request is one of them, without headers and bodies.
type Request struct {
	ID                                      string
	At                                      time.Time // the world's
	Service, Operation, Method, Path, Query string
	Status                                  int
	Reason, Caller, Fault                   string
	Unread                                  []string
}

// Selection chooses requests. Path is a pattern: * within a segment, ** across; Header
// is name to pattern, Body JSON pointer to value; Status is 404 or "4xx".
type Selection struct {
	Service   string            `json:"service,omitempty"`
	Operation string            `json:"operation,omitempty"`
	Method    string            `json:"method,omitempty"`
	Path      string            `json:"path,omitempty"`
	Status    any               `json:"status,omitempty"`
	Caller    string            `json:"caller,omitempty"`
	Header    map[string]string `json:"header,omitempty"`
	Body      map[string]any    `json:"body,omitempty"`
}

// List is the newest 1,000 requests that the choice names, newest first. It looks at
// service, operation, method, path, status and caller.
func (r *Requests) List(c Selection) []Request {
	r.world.t.Helper()
	query := url.Values{"limit": {"1000"}}
	for name, value := range map[string]string{
		"service": c.Service, "operation": c.Operation, "method": c.Method, "path": c.Path, "caller": c.Caller,
		"status": statusText(c.Status),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var out struct{ Requests []Request }
	r.world.call("GET", "/requests?"+query.Encode(), nil, &out)
	return out.Requests
}

func statusText(status any) string {
	switch s := status.(type) {
	case int:
		return strconv.Itoa(s)
	case string:
		return s
	}
	return ""
}

// Clear forgets the requests so far.
func (r *Requests) Clear() {
	r.world.t.Helper()
	r.world.call("DELETE", "/requests", nil, nil)
}

// Calls chooses the requests of an operation, by its name in the reference. An empty
// name chooses all.
func Calls(operation string) Selection { return Selection{Operation: operation} }

// NoCloserThan expects two calls to be so far apart, by the world's clock.
func (c Selection) NoCloserThan(d time.Duration) Expectation {
	return Expectation{Calls: c}.NoCloserThan(d)
}

// Expectation is how often, and how far apart, chosen requests shall have been made.
type Expectation struct {
	Calls        Selection `json:"calls"`
	ExactlyN     *int      `json:"exactly,omitempty"`
	AtLeastN     *int      `json:"atLeast,omitempty"`
	AtMostN      *int      `json:"atMost,omitempty"`
	NoCloserText string    `json:"noCloserThan,omitempty"`
}

// Exactly expects so many calls.
func (c Selection) Exactly(n int) Expectation { return Expectation{Calls: c}.Exactly(n) }

// AtLeast expects so many calls or more.
func (c Selection) AtLeast(n int) Expectation { return Expectation{Calls: c}.AtLeast(n) }

// AtMost expects so many calls or fewer.
func (c Selection) AtMost(n int) Expectation { return Expectation{Calls: c}.AtMost(n) }

// Exactly expects so many calls.
func (e Expectation) Exactly(n int) Expectation { e.ExactlyN = &n; return e }

// AtLeast expects so many calls or more.
func (e Expectation) AtLeast(n int) Expectation { e.AtLeastN = &n; return e }

// AtMost expects so many calls or fewer.
func (e Expectation) AtMost(n int) Expectation { e.AtMostN = &n; return e }

// NoCloserThan expects two calls to be so far apart, by the world's clock.
func (e Expectation) NoCloserThan(d time.Duration) Expectation {
	e.NoCloserText = d.String()
	return e
}

// Expect fails the test with the nearest miss where the world was asked otherwise.
func (w *TestWorld) Expect(e Expectation) {
	w.t.Helper()
	var out struct {
		Pass    bool
		Message string
	}
	w.call("POST", "/expect", e, &out)
	if !out.Pass {
		w.t.Error(out.Message)
	}
}

// Inbox receives what the world's services send.
type Inbox struct {
	Name, URL, HTTPSURL string

	world *TestWorld
}

// Answer is what an inbox answers: Times messages get Status, or are cut, later ones
// are accepted. The zero value accepts all.
type Answer struct {
	Status int    `json:"status,omitempty"`
	Delay  string `json:"delay,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	Times  int    `json:"times,omitempty"`
}

// Message is what an inbox received.
type Message struct {
	At       time.Time
	Method   string
	Headers  map[string]string
	Body     json.RawMessage // text, or {"base64": …}
	Answered int
}

// Inbox makes a receiver in the world.
func (w *TestWorld) Inbox(name string, answer Answer) *Inbox {
	w.t.Helper()
	in := &Inbox{world: w}
	w.call("POST", "/inboxes", map[string]any{"name": name, "answer": answer}, in)
	return in
}

// Wait returns the messages so far, oldest first, once there are so many. It fails
// the test when they do not come within a real time.
func (i *Inbox) Wait(atLeast int, within time.Duration) []Message {
	i.world.t.Helper()
	var out struct{ Messages []Message }
	query := url.Values{"atLeast": {strconv.Itoa(atLeast)}, "within": {within.String()}}
	i.world.call("GET", "/inboxes/"+url.PathEscape(i.Name)+"/messages?"+query.Encode(), nil, &out)
	if len(out.Messages) < atLeast {
		i.world.t.Fatalf("inbox %s has %d messages after %s, expected %d", i.Name, len(out.Messages), within, atLeast)
	}
	return out.Messages
}

// Text is the body; bytes that are no text are decoded.
func (m Message) Text() string {
	var text string
	if json.Unmarshal(m.Body, &text) == nil {
		return text
	}
	var other struct{ Base64 []byte }
	if json.Unmarshal(m.Body, &other) == nil {
		return string(other.Base64)
	}
	return string(m.Body)
}
