package analytics

import "fmt"

// Code is why the service refuses a request, before an envelope words it.
type Code string

// The codes of the common envelope.
const (
	CodeInvalid     Code = "invalid"
	CodeForbidden   Code = "forbidden"
	CodeNotFound    Code = "not found"
	CodeConflict    Code = "conflict"
	CodeUnavailable Code = "unavailable"
)

// Error is a refusal of the data methods.
type Error struct {
	Code    Code
	Message string
	// Field is the member that is wrong, when it is about a member, and Rule what
	// it breaks.
	Field, Rule string
}

func (e *Error) Error() string { return e.Message }

func newError(code Code, format string, args []any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// errInvalidField says the rule that a member breaks, as in "is required".
func errInvalidField(field, format string, args ...any) *Error {
	rule := fmt.Sprintf(format, args...)
	return &Error{Code: CodeInvalid, Message: field + " " + rule, Field: field, Rule: rule}
}

func errForbidden(format string, args ...any) *Error { return newError(CodeForbidden, format, args) }

func errNotFound(format string, args ...any) *Error { return newError(CodeNotFound, format, args) }

func errConflict(format string, args ...any) *Error { return newError(CodeConflict, format, args) }

func errUnavailable(format string, args ...any) *Error {
	return newError(CodeUnavailable, format, args)
}
