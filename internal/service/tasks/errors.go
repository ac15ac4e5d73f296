package tasks

import "fmt"

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// The failures of the service itself; all others are the platform's.
const (
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"
	CodeNotFound           Code = "NOT_FOUND"
	CodeResourceExhausted  Code = "RESOURCE_EXHAUSTED"
	CodeFailedPrecondition Code = "FAILED_PRECONDITION"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong.
	Field string
}

func (e *Error) Error() string { return e.Message }

// errInvalidField continues the name of the field by the rule that it breaks.
func errInvalidField(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: field + " " + fmt.Sprintf(format, args...), Field: field}
}

func errNotFound(format string, args ...any) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

func errQuota(format string, args ...any) *Error {
	return &Error{Code: CodeResourceExhausted, Message: fmt.Sprintf(format, args...)}
}

func errChanged() *Error {
	return &Error{
		Code: CodeFailedPrecondition, Message: "the resource has changed since it was read", Field: "If-Match",
	}
}
