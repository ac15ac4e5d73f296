package deliver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Message is a call to be delivered.
type Message struct {
	// Service names who sends it, for the log.
	Service string
	// Channel is the lane: its messages are sent one after the other, in the order they were enqueued. Empty is no lane.
	Channel string
	// Owner is whose message it is: who registered the address. Its waiting messages and its calls at a time are bounded.
	// Empty is the system's own.
	Owner string
	// URL is an https address; Method is POST when empty.
	URL    string
	Method string
	// Header names are sent as they are written.
	Header map[string]string
	// Body has 256 kB at most.
	Body []byte
	// Deadline is when the message stops to matter: no attempt starts after it. Zero is never.
	Deadline time.Time
}

const (
	maxBody    = 256 << 10
	maxHeaders = 64 << 10
)

// State is where a delivery stands.
type State string

// The states. All but Pending are final.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
	Canceled  State = "canceled"
)

// States lists them all.
func States() []State { return []State{Pending, Delivered, Failed, Canceled} }

// Delivery is one row of the delivery log.
type Delivery struct {
	ID      string `json:"id"`
	Service string `json:"service"`
	Channel string `json:"channel"`
	// Owner is who registered the address, empty for the system's own messages.
	Owner string `json:"owner,omitempty"`
	// Address is the URL without its query.
	Address string `json:"address"`
	State   State  `json:"state"`
	// Attempts is how many answers or failures were recorded.
	Attempts int `json:"attempts"`
	// Status is the last answer's, 0 when there was none.
	Status int `json:"status,omitempty"`
	// Duration is how long the last attempt took.
	Duration    time.Duration `json:"duration"`
	LastError   string        `json:"last_error,omitempty"`
	Created     time.Time     `json:"created"`
	Deadline    time.Time     `json:"deadline,omitzero"`
	NextAttempt time.Time     `json:"next_attempt,omitzero"`
	Finished    time.Time     `json:"finished,omitzero"`
	// ResendOf is the delivery that an operator sent once more.
	ResendOf string `json:"resend_of,omitempty"`
}

// stored is the sealed part of a row.
type stored struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header,omitempty"`
	Body   []byte            `json:"body,omitempty"`
}

// check refuses a message that could never be sent, and gives its parsed address.
func (m Message) check(c *Client) (*url.URL, error) {
	u, err := c.parse(m.URL)
	if err != nil {
		return nil, err
	}
	if !httpguts.ValidHeaderFieldName(m.Method) { // A method is a token too.
		return nil, fmt.Errorf("%w: method %q", ErrMalformed, m.Method)
	}
	if len(m.Body) > maxBody {
		return nil, fmt.Errorf("deliver: a body of %d bytes, at most %d are allowed", len(m.Body), maxBody)
	}
	size := 0
	for name, value := range m.Header {
		size += len(name) + len(value)
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
	}
	if size > maxHeaders {
		return nil, errors.New("deliver: the headers are too large")
	}
	return u, nil
}

// checkHeader refuses headers that would change what is sent where.
func checkHeader(name, value string) error {
	if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("deliver: header %q is malformed", name)
	}
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Trailer", "Upgrade", "Te", "Expect", "Keep-Alive":
		return fmt.Errorf("deliver: header %q is the transport's", name)
	}
	return nil
}

func encodeStored(s stored) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("deliver: %w", err)
	}
	return text, nil
}
