package lab

import "fmt"

// Code is the machine word of a failure.
type Code string

// The codes.
const (
	CodeInvalid   Code = "invalid"
	CodeNotFound  Code = "not_found"
	CodeConflict  Code = "conflict"
	CodeExhausted Code = "exhausted"
	CodeFailed    Code = "failed"
)

// Error is why the lab refuses something.
type Error struct {
	Code    Code
	Message string
	// Next is what the caller can do about it.
	Next string
}

func (e *Error) Error() string { return e.Message }

func errInvalid(next, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...), Next: next}
}

func errNotFound(next, format string, args ...any) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(format, args...), Next: next}
}

func errConflict(next, format string, args ...any) *Error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, args...), Next: next}
}

func errExhausted(next, format string, args ...any) *Error {
	return &Error{Code: CodeExhausted, Message: fmt.Sprintf(format, args...), Next: next}
}
