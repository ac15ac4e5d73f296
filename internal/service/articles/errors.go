package articles

// ErrorType is the machine word of a failure, as in the type member.
type ErrorType string

// The types of the contract and ours.
const (
	BadRequest   ErrorType = "bad_request"
	Unauthorized ErrorType = "unauthorized"
	Forbidden    ErrorType = "forbidden"
	NotFound     ErrorType = "not_found"
	RateLimited  ErrorType = "rate_limit_exceeded"
	Internal     ErrorType = "internal_server_error"
)

// Error is why the service refuses a request.
type Error struct {
	Type    ErrorType
	Message string
}

// Error is the type and the message.
func (e *Error) Error() string { return string(e.Type) + ": " + e.Message }

func errBad(message string) *Error       { return &Error{BadRequest, message} }
func errForbidden(message string) *Error { return &Error{Forbidden, message} }
func errNotFound() *Error                { return &Error{NotFound, "Not found"} }
