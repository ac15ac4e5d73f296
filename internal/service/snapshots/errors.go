package snapshots

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/failures"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Code is the machine word of a failure. The contract has no words, only
// statuses; these are ours and appear in the log.
type Code string

// The failures of the service itself.
const (
	// CodeBadRequest means that a parameter, a query or a definition is wrong.
	CodeBadRequest Code = "bad_request"
	// CodeForbidden means that the keys do not suffice.
	CodeForbidden Code = "forbidden"
	// CodeNotFound means that there is no such picture or event, or no longer.
	CodeNotFound Code = "not_found"
	// CodeTooLarge means that a submission holds more than one may.
	CodeTooLarge Code = "too_large"
	// CodeFailed means that a picture could not be drawn and never will be.
	CodeFailed Code = "failed"
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

// errInvalid repeats at most the beginning of what the caller wrote.
func errInvalid(format string, args ...any) *Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = query.Clip(s)
		}
	}
	return &Error{Code: CodeBadRequest, Message: fmt.Sprintf(format, args...)}
}

// errCause is errInvalid for a refusal by the query language.
func errCause(where string, err error) *Error {
	message := query.Clip(err.Error())
	if where != "" {
		message = where + ": " + message
	}
	return &Error{Code: CodeBadRequest, Message: message, cause: err}
}

// errDefinition is errCause for a refusal of a graph definition; what else failed
// stays what it is.
func errDefinition(err error) error {
	var bad *definition.Error
	if errors.As(err, &bad) {
		return &Error{Code: CodeBadRequest, Message: bad.Message, cause: err}
	}
	return err
}

// errDecode is errCause for a submission that a decoder refuses. What the
// process or the reader says stays what it is.
func errDecode(where string, err error) error {
	var bound *metrics.BoundError
	var busy *limit.Exceeded
	switch {
	case errors.As(err, &bound):
		return &Error{Code: CodeTooLarge, Message: "Payload too large: " + where + ": " + bound.Error(), cause: err}
	case errors.As(err, &busy), errors.Is(err, wire.ErrTooLarge):
		return err
	default:
		return errCause(where, err)
	}
}

func errNeedsApplicationKey(header string) *Error {
	return &Error{
		Code:    CodeForbidden,
		Message: "Forbidden: this call needs an application key beside the API key; send it in the header " + header,
	}
}

func errNotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: "no such " + what + ", or it has expired"}
}

func errFailed(reason string) *Error {
	return &Error{Code: CodeFailed, Message: "the snapshot could not be drawn: " + reason}
}

// faultErrors are the service's errors and budgets, for the catalogue of faults.
func faultErrors() failures.Service {
	return failures.Service{
		Refuse: func(status int, message string) error {
			for _, c := range []Code{CodeForbidden, CodeNotFound, CodeTooLarge, CodeFailed} {
				if statusOfCode(c) == status {
					return &Error{Code: c, Message: message}
				}
			}
			return &Error{Code: CodeBadRequest, Message: message}
		},
		Requests: requestsLimit, Points: pointsLimit, Renders: renderKind,
	}
}
