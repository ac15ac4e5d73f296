package labels

import "fmt"

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// The failures of the service itself; all others arise before it is reached.
const (
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"
	CodeNotFound           Code = "NOT_FOUND"
	CodePermissionDenied   Code = "PERMISSION_DENIED"
	CodeFailedPrecondition Code = "FAILED_PRECONDITION"
	CodeResourceExhausted  Code = "RESOURCE_EXHAUSTED"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong.
	Field string
}

func (e *Error) Error() string { return e.Message }

func errInvalidField(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, args...), Field: field}
}

func errNotFound(message string) *Error { return &Error{Code: CodeNotFound, Message: message} }

func errDenied(message string) *Error { return &Error{Code: CodePermissionDenied, Message: message} }

// errState means that the label is not in a state for what was asked.
func errState(message string) *Error { return &Error{Code: CodeFailedPrecondition, Message: message} }

func errQuota(message string) *Error { return &Error{Code: CodeResourceExhausted, Message: message} }
