package route

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// The common errors are those that any request can meet before or around its
// handler: the ones below, those of wire, and *limit.Exceeded. Every envelope
// answers them all; a new one is added to routetest.CommonErrors, which checks it.
var (
	// ErrNoRoute means that the path belongs to no operation.
	ErrNoRoute = errors.New("there is no operation at this path")
	// ErrNoCredential means that the operation needs a credential and none was sent.
	ErrNoCredential = errors.New("a credential is required")
	// ErrDeadline means that the operation ran out of time.
	ErrDeadline = errors.New("the operation took too long")
	// ErrUnavailable is what an *UnavailableError is.
	ErrUnavailable = errors.New("the service is not available; try again later")
	// ErrClientGone means that the caller left before the answer. It never
	// reaches WriteError: the answer could not be read.
	ErrClientGone = errors.New("the caller has gone away")
)

// StatusClientGone is what the log and the metrics show for a request whose
// caller left. It is never sent.
const StatusClientGone = telemetry.StatusGone

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
	Reason   string
	Services []string // of a good credential that is used at another service
}

// Error never shows the credential itself.
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

// UnavailableError means that the service's store is busy or full.
type UnavailableError struct {
	RetryAfter time.Duration // the Mux has already set the header
	cause      error
}

// Error says no more than callers may know.
func (e *UnavailableError) Error() string { return ErrUnavailable.Error() }

// Is makes it ErrUnavailable.
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }

// Unwrap is the error it was made from.
func (e *UnavailableError) Unwrap() error { return e.cause }

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
