package conduct

import (
	"fmt"
	"slices"
)

// Severity orders rules by what a breach costs.
type Severity int

// Info is advice. A Warning is a client that wastes requests, or that will fail one
// day. An Error is one that the service asks in so many words not to be.
const (
	Info Severity = iota
	Warning
	Error
)

// String is the word of the control API.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// ParseSeverity reads the word of the control API.
func ParseSeverity(text string) (Severity, error) {
	for _, s := range []Severity{Info, Warning, Error} {
		if s.String() == text {
			return s, nil
		}
	}
	return Info, fmt.Errorf("%q is not error, warning or info", text)
}

// Rule is one thing that services ask of their clients.
type Rule struct {
	// ID is the service's name, a dot and a few words with hyphens. Rules that hold
	// everywhere have the words alone.
	ID       string
	Severity Severity
	// Title tells a client what to do, in a few words.
	Title string
	// Why says what happens to those who do not.
	Why string
	// Contract is the statement that the rule rests on, with its number.
	Contract string
	// Example is a client that breaks the rule, in one sentence.
	Example string
	// New starts a check over one journal.
	New func(*Breaches) Check
}

// Check looks at the requests of a service in order. End, which may be nil, is called
// after the last.
type Check struct {
	See func(*Request)
	End func()
}

// Each is a check without an end.
func Each(see func(*Request)) Check { return Check{See: see} }

// maxEvidence is how many requests a finding names.
const maxEvidence = 20

// Breaches are those of one rule.
type Breaches struct {
	count    int
	message  string
	requests []uint64
}

// Add notes a breach. The message is about this one; the first is kept, and must hold
// no secret. The requests are those that show it, the last being the breach itself.
func (b *Breaches) Add(message string, requests ...Past) {
	b.count++
	if b.message == "" {
		b.message = message
	}
	for _, r := range requests {
		if len(b.requests) < maxEvidence && r.number != 0 && !slices.Contains(b.requests, r.number) {
			b.requests = append(b.requests, r.number)
		}
	}
}
