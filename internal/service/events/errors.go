package events

import (
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Error is why the service refuses a request.
type Error = refusal.Error

func errNotFound() *Error { return refusal.NotFound() }

func errMissingPermission(permission string) *Error {
	return &Error{Code: refusal.CodeForbidden, Message: "Resource not accessible by this token", Permission: permission}
}

func errForbidden(format string, args ...any) *Error { return refusal.Forbidden(format, args...) }

func errInvalidField(field, format string, args ...any) *Error {
	return refusal.Invalid(field, format, args...)
}

func errPagination() *Error {
	return &Error{
		Code:    refusal.CodePagination,
		Message: "In order to keep the API fast for everyone, pagination is limited for this resource.",
	}
}

func errVersion(name string) *Error {
	return &Error{Code: refusal.CodeVersion, Message: "The API version " + clip(name) + " is not supported."}
}

func errRetired(name string) *Error {
	return &Error{Code: refusal.CodeRetired, Message: "The API version " + clip(name) + " is no longer supported."}
}

func errAgent() *Error {
	return &Error{
		Code: refusal.CodeAgent,
		Message: "Request forbidden by administrative rules. " +
			"Please make sure your request has a User-Agent header",
	}
}

// errEmptyRepository is for the content of a repository that nothing was pushed to.
func errEmptyRepository() *Error {
	return &Error{Code: refusal.CodeEmpty, Message: "Git Repository is empty."}
}

func errMoved(location string) *Error {
	return &Error{Code: refusal.CodeMoved, Message: "Moved Permanently", Location: location}
}

// clip bounds what an answer repeats of a request.
func clip(text string) string {
	return `"` + wire.Clip(text, 40) + `"`
}

// fromForge translates a refusal of the forge.
func fromForge(err error) error { return refusal.FromForge(err) }

// tooLargeToShow is fromForge for content: what is too large is refused as the code
// host does it, with 403.
func tooLargeToShow(err error) error {
	if errors.Is(err, forge.ErrTooLarge) {
		return errForbidden("This API returns content of limited size: %s.", err)
	}
	return fromForge(err)
}
