package route

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
)

// The ground errors without further facts.
var (
	// ErrNoRoute means that the path belongs to no operation.
	ErrNoRoute = errors.New("there is no operation at this path")
	// ErrNoCredential means that the operation needs a credential and none was sent.
	ErrNoCredential = errors.New("a credential is required")
	// ErrDeadline means that the operation ran out of time.
	ErrDeadline = errors.New("the operation took too long")
	// ErrClientGone means that the caller left before the answer. It never
	// reaches WriteError: nobody is there to read the answer.
	ErrClientGone = errors.New("the caller has gone away")
)

// StatusClientGone is what the log and the metrics show for a request whose
// caller left. It is never sent.
const StatusClientGone = 499

// MethodError means that the path is known but not with this method. The Mux
// has already set the Allow header.
type MethodError struct {
	// Allow are the methods that the path has, sorted.
	Allow []string
}

// Error names the methods that would work.
func (e *MethodError) Error() string {
	return "the method is not allowed here; use " + strings.Join(e.Allow, ", ")
}

// The reasons of a CredentialError.
const (
	Unknown   = "unknown"
	Expired   = "expired"
	Revoked   = "revoked"
	Malformed = "malformed"
)

// CredentialError means that a credential was sent and is no good.
type CredentialError struct {
	// Reason is Unknown, Expired, Revoked or Malformed.
	Reason string
}

// Error never holds the credential itself.
func (e *CredentialError) Error() string { return "the credential is " + e.Reason }

// ScopeError means that the caller is known but lacks permission.
type ScopeError struct {
	// Needed are the scopes of which any one would do.
	Needed []string
}

// Error names the scopes that would do.
func (e *ScopeError) Error() string {
	return "the credential lacks the scope " + strings.Join(e.Needed, " or ")
}

// PanicError means that a handler panicked. The Mux has logged the value and
// the stack under ID; callers are told the ID only.
type PanicError struct {
	Value any
	Stack []byte
	ID    string
}

// Error tells the ID and nothing of the inside.
func (e *PanicError) Error() string { return "internal failure " + e.ID }

// String is for the log.
func (e *PanicError) String() string { return fmt.Sprintf("panic %s: %v", e.ID, e.Value) }

// Ground is one example of every error that a request can meet before or around
// its handler. Every envelope answers them all.
func CommonErrors() []error {
	return []error{
		ErrNoRoute,
		&MethodError{Allow: []string{"GET", "HEAD", "OPTIONS"}},
		wire.ErrTooLarge,
		&wire.SyntaxError{Offset: 17, Field: "items[2].name", Reason: "items[2].name must be a string"},
		wire.ErrMediaType,
		wire.ErrEmptyBody,
		ErrNoCredential,
		&CredentialError{Reason: Unknown},
		&CredentialError{Reason: Expired},
		&CredentialError{Reason: Revoked},
		&CredentialError{Reason: Malformed},
		&ScopeError{Needed: []string{"read", "write"}},
		&limit.Exceeded{Decision: limit.Decision{
			Name: "requests", Limit: 60, Used: 60,
			Reset: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), RetryAfter: 30 * time.Second,
		}},
		ErrDeadline,
		ErrClientGone,
		&PanicError{Value: "example", ID: "0123456789abcdef"},
	}
}
