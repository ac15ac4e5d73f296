package refusal

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/forge/git"
)

// Code is the machine word of a failure.
type Code string

// What can be wrong.
const (
	// CodeNotFound means that there is no such thing, or none that the caller
	// may know of.
	CodeNotFound Code = "not_found"
	// CodeTaken means that the name belongs to something else.
	CodeTaken Code = "taken"
	// CodeInvalid means that a value breaks a rule.
	CodeInvalid Code = "invalid"
	// CodeForbidden means that the caller may see but not do it.
	CodeForbidden Code = "forbidden"
	// CodeTooLarge means that something exceeds a configured bound.
	CodeTooLarge Code = "too_large"
	// CodeUnavailable means that git could not be run.
	CodeUnavailable Code = "unavailable"
)

// Error is why the forge refuses.
type Error struct {
	Code    Code
	Message string
	// Field is the member of a repository that is at fault: name or
	// description. It is empty when the fault is elsewhere.
	Field string
	// Cause is what failed, where something did.
	Cause error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, ErrNotFound) and its like work.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Code == e.Code
}

// Sentinels for errors.Is.
var (
	ErrNotFound  = &Error{Code: CodeNotFound}
	ErrTaken     = &Error{Code: CodeTaken}
	ErrInvalid   = &Error{Code: CodeInvalid}
	ErrForbidden = &Error{Code: CodeForbidden}
	ErrTooLarge  = &Error{Code: CodeTooLarge}
)

// NotFound refuses what does not exist.
func NotFound(what, name string) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf("%s %s does not exist", what, name)}
}

// Taken refuses the name of a repository that exists.
func Taken(name string) *Error {
	return &Error{Code: CodeTaken, Field: "name", Message: fmt.Sprintf("repository %s already exists", name)}
}

// Invalid refuses what breaks a rule.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// Field is Invalid for one member.
func Field(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// TooLarge refuses what exceeds a bound.
func TooLarge(format string, args ...any) *Error {
	return &Error{Code: CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}

// Forbidden refuses what the caller may see but not do.
func Forbidden(message string) *Error { return &Error{Code: CodeForbidden, Message: message} }

// FromGit gives a refusal of package git its code; other errors stay as they are.
func FromGit(err error) error {
	var refused *git.Error
	if !errors.As(err, &refused) {
		return err
	}
	code := CodeInvalid
	switch {
	case errors.Is(refused, git.ErrTooLarge), errors.Is(refused, git.ErrLimits):
		code = CodeTooLarge
	case errors.Is(refused, git.ErrNoProgram):
		code = CodeUnavailable
	}
	return &Error{Code: code, Message: refused.Message, Cause: err}
}
