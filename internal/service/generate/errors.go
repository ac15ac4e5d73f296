package generate

import (
	"fmt"
	"time"
)

// Code is the machine word of a failure, as the envelope's status member.
type Code string

// The failures of the service itself. Those of routes, credentials and limits
// arise before it is reached.
const (
	CodeInvalidArgument    Code = "INVALID_ARGUMENT"
	CodeFailedPrecondition Code = "FAILED_PRECONDITION"
	CodePermissionDenied   Code = "PERMISSION_DENIED"
	CodeNotFound           Code = "NOT_FOUND"
	CodeExhausted          Code = "RESOURCE_EXHAUSTED"
	CodeInternal           Code = "INTERNAL"
	CodeUnavailable        Code = "UNAVAILABLE"
	CodeDeadline           Code = "DEADLINE_EXCEEDED"
)

// Error is why the service refuses a request or could not serve it.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong, as in "contents[0].role".
	Field string
	// RetryAfter is set when waiting helps.
	RetryAfter time.Duration
	// Cause is for the log; callers are told the message alone.
	Cause error
}

// Error is the message with its cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap is what the failure was made from.
func (e *Error) Unwrap() error { return e.Cause }

// Reason is the word that log and console show.
func (e *Error) Reason() string { return string(e.Code) }

func errInvalid(field, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	if field != "" {
		message = field + ": " + message
	}
	return &Error{Code: CodeInvalidArgument, Message: message, Field: field}
}

func errNoModel(id, method string) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(
		"models/%s is not found for API version v1beta, or is not supported for %s. Call ListModels to see the available models and their supported methods", id, method)}
}

// errNoFile hides whether a file exists from those who do not own it.
func errNoFile(id string) *Error {
	return &Error{Code: CodePermissionDenied, Message: fmt.Sprintf(
		"you do not have permission to access the file %s, or it does not exist", id)}
}

func errNoCache(id string) *Error {
	return &Error{Code: CodePermissionDenied, Message: fmt.Sprintf(
		"cached content %s is not found, has expired, or permission is denied", cachePrefix+id)}
}

func errPrecondition(format string, args ...any) *Error {
	return &Error{Code: CodeFailedPrecondition, Message: fmt.Sprintf(format, args...)}
}

func errUnavailable(cause error, format string, args ...any) *Error {
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// sessionError is a refusal of the upload protocol, whose statuses are its own.
type sessionError struct {
	status  int
	state   UploadState
	message string
}

func (e *sessionError) Error() string { return e.message }
