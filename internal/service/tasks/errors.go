package tasks

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// The failures of the service itself.
const (
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"
	CodeNotFound           Code = "NOT_FOUND"
	CodeLimit              Code = "RESOURCE_EXHAUSTED"
	CodeFailedPrecondition Code = "FAILED_PRECONDITION"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong.
	Field string
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

func errInvalid(field, rule string) *Error {
	return &Error{Code: CodeInvalidArgument, Message: field + " " + rule, Field: field}
}

func errNotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: "there is no such " + what}
}

func errLimit(message string) *Error {
	return &Error{Code: CodeLimit, Message: message}
}

func errChanged() *Error {
	return &Error{Code: CodeFailedPrecondition, Message: "the resource has changed since it was read", Field: "If-Match"}
}
