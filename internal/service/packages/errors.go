package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
)

// Code is the machine word of a failure. The words are the canonical ones of
// the API's procedure calls, whose numbers the envelope prints.
type Code string

// The failures of the service itself.
const (
	CodeInvalidArgument Code = "INVALID_ARGUMENT"
	CodeNotFound        Code = "NOT_FOUND"
	CodeUnavailable     Code = "UNAVAILABLE"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	cause   error
	// refused means that nothing failed: what was asked for is turned off, used up or under way.
	refused bool
	// retryAfter is when to ask again; zero says nothing.
	retryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Refused says so to the mux.
func (e *Error) Refused() bool { return e.refused }

func errInvalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}

// errNotFound says which noun is missing, in the words clients know.
func errNotFound(noun string) *Error {
	return &Error{Code: CodeNotFound, Message: noun + " not found"}
}

// errUnavailable means that it is unknown whether the package exists: the registry did not say.
func errUnavailable(cause error) *Error {
	return &Error{
		Code:    CodeUnavailable,
		Message: "the package is not in the store and its registry cannot be asked: " + cause.Error(),
		cause:   cause,
	}
}

func errSystem(given string) error {
	return errInvalid("system %q is not one of GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI, NUGET", given)
}

// fetchError says why a fetch gave nothing, in the caller's terms.
func (s *Service) fetchError(ctx context.Context, err error, noun string) error {
	var own *Error
	var kind *database.Error
	var exceeded *limit.Exceeded
	switch {
	case errors.Is(err, errMissing):
		return errNotFound(noun)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own), errors.As(err, &kind), errors.As(err, &exceeded):
		return err
	}
	return errUnavailable(err)
}

func orNotFound(err error, noun string) error {
	if err != nil {
		return err
	}
	return errNotFound(noun)
}

func isNotFound(err error) bool {
	var own *Error
	return errors.As(err, &own) && own.Code == CodeNotFound
}
