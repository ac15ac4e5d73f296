package api

import (
	"fmt"
	"time"
)

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// The failures of the service itself. Those of routes, credentials and limits
// arise before it is reached.
const (
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"
	CodeFailedPrecondition Code = "FAILED_PRECONDITION"
	CodePermissionDenied   Code = "PERMISSION_DENIED"
	CodeNotFound           Code = "NOT_FOUND"
	CodeExhausted          Code = "RESOURCE_EXHAUSTED"
	CodeInternal           Code = "INTERNAL"
	CodeUnavailable        Code = "UNAVAILABLE"
	CodeDeadline           Code = "DEADLINE_EXCEEDED"
)

// Codes lists all of them.
func Codes() []Code {
	return []Code{
		CodeInvalidArgument, CodeFailedPrecondition, CodePermissionDenied, CodeNotFound, CodeExhausted, CodeInternal,
		CodeUnavailable, CodeDeadline,
	}
}

// Error is why the service refuses a request or could not serve it.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong, as in "contents[0].role".
	Field string
	// RetryAfter is set when waiting helps.
	RetryAfter time.Duration
	// Cause is for the log; callers are told the message alone.
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// Reason is the word that log and console show.
func (e *Error) Reason() string { return string(e.Code) }

// ErrInvalid refuses a request as a whole.
func ErrInvalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}

// ErrInvalidField refuses a part of a request.
func ErrInvalidField(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: field + ": " + fmt.Sprintf(format, args...), Field: field}
}

// ErrForbidden hides whether something exists from a caller who does not own it.
func ErrForbidden(format string, args ...any) *Error {
	return &Error{Code: CodePermissionDenied, Message: fmt.Sprintf(format, args...)}
}

// ErrPrecondition means that the request would be right at another time.
func ErrPrecondition(format string, args ...any) *Error {
	return &Error{Code: CodeFailedPrecondition, Message: fmt.Sprintf(format, args...)}
}

// ErrQuota means that the caller has used up a share.
func ErrQuota(format string, args ...any) *Error {
	return &Error{Code: CodeExhausted, Message: fmt.Sprintf(format, args...)}
}

// ErrUnavailable means that the model cannot answer now.
func ErrUnavailable(cause error, format string, args ...any) *Error {
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf(format, args...), Cause: cause}
}
