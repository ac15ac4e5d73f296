package articles

import "fmt"

// ErrorType is the machine word of a failure, as in the type member.
type ErrorType string

// The types of the contract, and RateLimited, which is ours.
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

func (e *Error) Error() string { return string(e.Type) + ": " + e.Message }

func errInvalid(format string, args ...any) *Error   { return newError(BadRequest, format, args) }
func errForbidden(format string, args ...any) *Error { return newError(Forbidden, format, args) }
func errNotFound(format string, args ...any) *Error  { return newError(NotFound, format, args) }

func errUnauthorized(format string, args ...any) *Error { return newError(Unauthorized, format, args) }

func newError(t ErrorType, format string, args []any) *Error {
	return &Error{t, fmt.Sprintf(format, args...)}
}
