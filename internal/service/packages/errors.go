package packages

import (
	"fmt"
	"time"
)

// Code is the machine word of a failure. The words are the canonical ones of
// the API's procedure calls, whose numbers the envelope prints.
type Code string

// The failures of the service itself.
const (
	CodeInvalidArgument Code = "INVALID_ARGUMENT"
	CodeNotFound        Code = "NOT_FOUND"
	CodeUnavailable     Code = "UNAVAILABLE"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	cause   error
	// noRegistry means that there is no registry to ask.
	noRegistry bool
	// retryAfter is when to ask again; zero says nothing.
	retryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

func errInvalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}

// errNotFound says which noun is missing, in the words clients know.
func errNotFound(noun string) *Error {
	return &Error{Code: CodeNotFound, Message: noun + " not found"}
}

// errUnavailable means that it is unknown whether the package exists: the registry did not say.
func errUnavailable(cause error) *Error {
	return &Error{
		Code:    CodeUnavailable,
		Message: "the package is not in the store and its registry cannot be asked: " + cause.Error(),
		cause:   cause,
	}
}
