package events

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/forge"
)

// Code is the machine word of a failure. The contract prints none, so they
// stay inside; the envelope shows status and message.
type Code string

// The failures of the service itself.
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

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

// Reason is the word for the log.
func (e *Error) Reason() string { return string(e.Code) }

func errNotFound() *Error { return &Error{Code: CodeNotFound, Message: "Not Found"} }

func errPermission(permission string) *Error {
	return &Error{Code: CodeForbidden, Message: "Resource not accessible by this token", Permission: permission}
}

// errNoPerson is for what only people do.
func errNoPerson(permission string) *Error {
	return &Error{Code: CodeForbidden, Message: "Resource not accessible by integration", Permission: permission}
}

func errInvalid(field, message string) *Error {
	return &Error{Code: CodeInvalid, Message: message, Field: field}
}

func errPagination() *Error {
	return &Error{Code: CodePagination, Message: "In order to keep the API fast for everyone, pagination is limited for this resource."}
}

func errVersion(wish string) *Error {
	return &Error{Code: CodeVersion, Message: "The API version " + clip(wish) + " is not supported."}
}

func errRetired(wish string) *Error {
	return &Error{Code: CodeRetired, Message: "The API version " + clip(wish) + " is no longer supported."}
}

func errMoved(location string) *Error {
	return &Error{Code: CodeMoved, Message: "Moved Permanently", Location: location}
}

// clip keeps an answer from repeating whatever was sent.
func clip(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return `"` + text + `"`
}

// fromForge says a refusal of the forge in our words.
func fromForge(err error) error {
	var refused *forge.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case forge.CodeNotFound:
		return errNotFound()
	case forge.CodeTaken:
		return errInvalid(refused.Field, "name already exists on this account")
	case forge.CodeInvalid, forge.CodeTooLarge:
		return errInvalid(refused.Field, refused.Message)
	case forge.CodeForbidden:
		return &Error{Code: CodeForbidden, Message: refused.Message}
	case forge.CodeUnavailable:
	}
	return err
}
