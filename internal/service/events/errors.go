package events

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/wire"
)

// Code is the machine word of a failure. The contract prints none, so they
// stay inside; the envelope shows status and message.
type Code string

// The failures of the service itself; all others are the platform's.
const (
	CodeNotFound   Code = "not_found"
	CodeForbidden  Code = "forbidden"
	CodeInvalid    Code = "invalid"
	CodePagination Code = "pagination"
	CodeVersion    Code = "version"
	CodeRetired    Code = "retired"
	CodeMoved      Code = "moved"
	CodePrimary    Code = "primary_limit"
	CodeSecondary  Code = "secondary_limit"
	CodeAgent      Code = "user_agent"
	CodeEmpty      Code = "empty_repository"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Field is the member at fault, for CodeInvalid.
	Field string
	// Location is the new address, for CodeMoved.
	Location string
	// Permission is what the token lacks, for CodeForbidden.
	Permission string
	// RetryAfter is how long to wait, for the limits.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// Reason is what the log calls it.
func (e *Error) Reason() string { return string(e.Code) }

func errNotFound() *Error { return &Error{Code: CodeNotFound, Message: "Not Found"} }

func errMissingPermission(permission string) *Error {
	return &Error{Code: CodeForbidden, Message: "Resource not accessible by this token", Permission: permission}
}

// errUserOnly is for what only users do.
func errUserOnly(permission string) *Error {
	return &Error{Code: CodeForbidden, Message: "Resource not accessible by integration", Permission: permission}
}

func errForbidden(format string, args ...any) *Error {
	return &Error{Code: CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

func errInvalidField(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...), Field: field}
}

func errPagination() *Error {
	return &Error{
		Code:    CodePagination,
		Message: "In order to keep the API fast for everyone, pagination is limited for this resource.",
	}
}

func errVersion(name string) *Error {
	return &Error{Code: CodeVersion, Message: "The API version " + clip(name) + " is not supported."}
}

func errRetired(name string) *Error {
	return &Error{Code: CodeRetired, Message: "The API version " + clip(name) + " is no longer supported."}
}

func errAgent() *Error {
	return &Error{
		Code: CodeAgent,
		Message: "Request forbidden by administrative rules. " +
			"Please make sure your request has a User-Agent header",
	}
}

// errEmptyRepository is for the content of a repository that nothing was pushed to.
func errEmptyRepository() *Error { return &Error{Code: CodeEmpty, Message: "Git Repository is empty."} }

func errMoved(location string) *Error {
	return &Error{Code: CodeMoved, Message: "Moved Permanently", Location: location}
}

// clip bounds what an answer repeats of a request.
func clip(text string) string {
	return `"` + wire.Clip(text, 40) + `"`
}

// fromForge translates a refusal of the forge.
func fromForge(err error) error {
	var refused *forge.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case forge.CodeNotFound:
		return errNotFound()
	case forge.CodeTaken:
		return errInvalidField(refused.Field, "name already exists on this account")
	case forge.CodeInvalid, forge.CodeTooLarge:
		return errInvalidField(refused.Field, "%s", refused.Message)
	case forge.CodeForbidden:
		return errForbidden("%s", refused.Message)
	case forge.CodeUnavailable:
	}
	return err
}
