package analytics

// Code is why the service refuses a request, before an envelope words it.
type Code string

// The refusals of the common envelope.
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
	// Fields are the members that are wrong, when it is about members.
	Fields []Violation
}

// Violation is one member that breaks a rule.
type Violation struct{ Field, Description string }

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

func errField(field, rule string) *Error {
	return &Error{Code: CodeInvalid, Message: field + " " + rule, Fields: []Violation{{Field: field, Description: rule}}}
}

func errForbidden(message string) *Error { return &Error{Code: CodeForbidden, Message: message} }

func errNotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: "there is no such " + what}
}

func errConflict(message string) *Error { return &Error{Code: CodeConflict, Message: message} }

func errUnavailable(message string) *Error { return &Error{Code: CodeUnavailable, Message: message} }
