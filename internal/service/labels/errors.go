package labels

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

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

func errInvalid(field, message string) *Error {
	return &Error{Code: CodeInvalidArgument, Message: message, Field: field}
}
