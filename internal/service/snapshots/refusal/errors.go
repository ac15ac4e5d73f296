package refusal

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Code is the machine word of a failure. The contract has no words, only
// statuses; these are ours and appear in the log.
type Code string

// The failures of the service itself.
const (
	// BadRequest means that a parameter, a query or a definition is wrong.
	BadRequest Code = "bad_request"
	// Forbidden means that the keys do not suffice.
	Forbidden Code = "forbidden"
	// NotFound means that there is no such picture or event, or no longer.
	NotFound Code = "not_found"
	// TooLarge means that a submission holds more than one may.
	TooLarge Code = "too_large"
	// Failed means that a picture could not be drawn and never will be.
	Failed Code = "failed"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives access to the cause.
func (e *Error) Unwrap() error { return e.cause }

// Reason is the machine word for the log.
func (e *Error) Reason() string { return string(e.Code) }

// Wrap refuses because of another error, which may be nil.
func Wrap(code Code, message string, cause error) *Error {
	return &Error{Code: code, Message: message, cause: cause}
}

// Invalid refuses what the caller wrote, of which it repeats at most the beginning.
func Invalid(format string, args ...any) *Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = query.Clip(s)
		}
	}
	return Wrap(BadRequest, fmt.Sprintf(format, args...), nil)
}

// Cause is Invalid for a refusal by the query language.
func Cause(where string, err error) *Error {
	message := query.Clip(err.Error())
	if where != "" {
		message = where + ": " + message
	}
	return Wrap(BadRequest, message, err)
}

// Missing is for what does not exist, or no longer.
func Missing(what string) *Error { return Wrap(NotFound, "no such "+what+", or it has expired", nil) }

// IsMissing tells what does not exist from a failure to look.
func IsMissing(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == NotFound
}
