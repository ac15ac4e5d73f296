package refusal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
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
	// CodeConflict is for what has changed meanwhile.
	CodeConflict Code = "conflict"
	// CodeUnmergeable is for branches that do not merge.
	CodeUnmergeable Code = "unmergeable"
	// CodeUnauthorized is for a proof of an app that does not hold.
	CodeUnauthorized Code = "unauthorized"
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

// NotFound is for what is not there, or not for the caller.
func NotFound() *Error { return &Error{Code: CodeNotFound, Message: "Not Found"} }

// MissingScope is for a token that lacks a scope.
func MissingScope(scope string) *Error {
	return &Error{
		Code: CodeForbidden, Message: "Resource not accessible by this token", Permission: PermissionWord(scope),
	}
}

// UserOnly is for what only users do; the scope is what they need for it.
func UserOnly(scope string) *Error {
	return &Error{
		Code: CodeForbidden, Message: "Resource not accessible by integration", Permission: PermissionWord(scope),
	}
}

// Forbidden is for what the caller may not do.
func Forbidden(format string, args ...any) *Error {
	return &Error{Code: CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

// Unauthorized is for a credential that is not good, or not the one that it takes.
func Unauthorized(message string) *Error { return &Error{Code: CodeUnauthorized, Message: message} }

// Invalid is for a member that cannot be taken.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...), Field: field}
}

// Conflict is for what has changed meanwhile.
func Conflict(format string, args ...any) *Error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, args...)}
}

// Unmergeable is for branches that do not merge.
func Unmergeable(format string, args ...any) *Error {
	return &Error{Code: CodeUnmergeable, Message: fmt.Sprintf(format, args...)}
}

// PermissionWord is how the header of accepted permissions writes a scope.
func PermissionWord(scope string) string { return strings.Replace(scope, ":", "=", 1) }

// FromForge translates a refusal of the forge.
func FromForge(err error) error {
	var refused *forge.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case forge.CodeNotFound:
		return NotFound()
	case forge.CodeTaken:
		return Invalid(refused.Field, "name already exists on this account")
	case forge.CodeInvalid, forge.CodeTooLarge:
		return Invalid(refused.Field, "%s", refused.Message)
	case forge.CodeForbidden:
		return Forbidden("%s", refused.Message)
	case forge.CodeUnavailable:
	}
	return err
}
