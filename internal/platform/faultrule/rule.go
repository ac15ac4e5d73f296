package faultrule

import (
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Names that stand for a service in a match.
const (
	// Deliveries are messages that the world sends out.
	Deliveries = "deliveries"
	// Jobs are runs of background jobs.
	Jobs = "jobs"
)

// Rule is one fault as it is asked for.
type Rule struct {
	Match Match `json:"match"`
	When  When  `json:"when,omitzero"`
	Deed  Deed  `json:"deed"`
}

// Match says which requests a rule is about. What is empty matches everything.
type Match struct {
	// Service is a service's name, Deliveries or Jobs; without it the rule is about
	// requests to services.
	Service string `json:"service,omitempty"`
	// Operation is the name in the route table; the procedure of a remote call, the
	// kind of a job, or the service that sends a message.
	Operation string `json:"operation,omitempty"`
	Method    string `json:"method,omitempty"`
	// Path is a pattern: * stands for any text within a segment, ** for any text.
	Path string `json:"path,omitempty"`
	// Caller is a pattern for the caller as the log shows it, or the user's name.
	Caller string `json:"caller,omitempty"`
	// Header is name to pattern.
	Header map[string]string `json:"header,omitempty"`
	// Body is JSON pointer to value.
	Body map[string]json.RawMessage `json:"body,omitempty"`
}

// When says which of the matches are met.
type When struct {
	Nth   *int64   `json:"nth,omitempty"`
	Every *int64   `json:"every,omitempty"`
	First *int64   `json:"first,omitempty"`
	After *int64   `json:"after,omitempty"`
	Share *float64 `json:"share,omitempty"`
	// From and Until are times of the world.
	From  *time.Time `json:"from,omitempty"`
	Until *time.Time `json:"until,omitempty"`
}

// Deed says what happens; it is one of its kinds.
type Deed struct {
	// Fault is a name of the catalogue.
	Fault string `json:"fault,omitempty"`

	// Status, Headers and Body are an answer in place of the service's.
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`

	// Delay comes before the true answer, on the machine's clock or on the world's.
	Delay *Duration `json:"delay,omitempty"`
	Clock ClockName `json:"clock,omitempty"`

	Cut   *Cut  `json:"cut,omitempty"`
	Reset bool  `json:"reset,omitempty"`
	Drip  *Drip `json:"drip,omitempty"`

	// Drop and Duplicate are for messages, Fail for jobs.
	Drop      bool   `json:"drop,omitempty"`
	Duplicate int    `json:"duplicate,omitempty"`
	Fail      string `json:"fail,omitempty"`
}

// ClockName is the clock of a delay.
type ClockName string

// The clocks. Without a name it is the machine's.
const (
	RealClock  ClockName = "real"
	WorldClock ClockName = "world"
)

// Cut ends the connection after so many bytes of the body.
type Cut struct {
	AfterBytes int64 `json:"afterBytes"`
}

// Drip sends the body slowly.
type Drip struct {
	BytesPerSecond int64 `json:"bytesPerSecond"`
}

// Duration is text such as "1h30m" or "7d".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := clock.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("a member %w", err) // which one is not known here
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText writes a duration as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// kind is the sort of a deed.
type kind string

const (
	kindFault     kind = "fault"
	kindStatus    kind = "status"
	kindDelay     kind = "delay"
	kindCut       kind = "cut"
	kindReset     kind = "reset"
	kindDrip      kind = "drip"
	kindDrop      kind = "drop"
	kindDuplicate kind = "duplicate"
	kindFail      kind = "fail"
)

// kinds are those that the deed names.
func (d Deed) kinds() []kind {
	var list []kind
	for _, k := range [...]struct {
		kind  kind
		named bool
	}{
		{kindFault, d.Fault != ""},
		{kindStatus, d.Status != 0 || d.Headers != nil || d.Body != nil},
		{kindDelay, d.Delay != nil || d.Clock != ""},
		{kindCut, d.Cut != nil},
		{kindReset, d.Reset},
		{kindDrip, d.Drip != nil},
		{kindDrop, d.Drop},
		{kindDuplicate, d.Duplicate != 0},
		{kindFail, d.Fail != ""},
	} {
		if k.named {
			list = append(list, k.kind)
		}
	}
	return list
}

// Name is what a journal shows for a request that met the deed.
func (d Deed) Name() string {
	if d.Fault != "" {
		return d.Fault
	}
	if list := d.kinds(); len(list) > 0 {
		return string(list[0])
	}
	return ""
}
