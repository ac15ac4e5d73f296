package labels

import "fmt"

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// CodeInvalidArgument is the only failure of the service itself; all others
// arise before it is reached.
const CodeInvalidArgument Code = "INVALID_ARGUMENT"

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
