package kms

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/kms/provider"
)

// Code is the kind of a failure; rpc.go gives each its gRPC code.
type Code string

// The failures.
const (
	// CodeInvalid means that the request is malformed, too large or altered.
	CodeInvalid Code = "invalid"
	// CodeUnknownKey means that no such key was ever published.
	CodeUnknownKey Code = "unknown_key"
	// CodeUnusable means that the key was destroyed or is disabled.
	CodeUnusable Code = "unusable"
	// CodeUnavailable means that the provider or the store does not answer.
	CodeUnavailable Code = "unavailable"
	// CodeUnauthenticated means that the provider does not know us.
	CodeUnauthenticated Code = "unauthenticated"
	// CodeDenied means that the provider does not let us.
	CodeDenied Code = "denied"
	// CodeExhausted means that there are too many calls at once.
	CodeExhausted Code = "exhausted"
	// CodeDeadline and CodeCanceled mean that the caller no longer waits.
	CodeDeadline Code = "deadline"
	CodeCanceled Code = "canceled"
	// CodeUnsupported means that the provider cannot do this.
	CodeUnsupported Code = "unsupported"
	// CodeInternal means that we broke a rule of our own.
	CodeInternal Code = "internal"
)

// Error is why the service refuses. Its message holds no secret.
type Error struct {
	Code    Code
	Message string
	cause   error
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

// Unwrap is what the error was made from.
func (e *Error) Unwrap() error { return e.cause }

func fail(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

func errInvalid(format string, args ...any) *Error { return fail(CodeInvalid, nil, format, args...) }

func errUnknownKey(id string) *Error {
	return fail(CodeUnknownKey, nil, "key %q was not published by this plugin", shorten(id))
}

func errDestroyed(k *heldKey) *Error {
	return fail(CodeUnusable, nil, "key %s was destroyed at %s", k.ID, k.DestroyedAt.Format(timeForm))
}

func errNoKey() *Error {
	return fail(CodeUnavailable, nil, "no key is published yet: the provider has not answered since the start")
}

func errStore(cause error) *Error {
	return fail(CodeUnavailable, cause, "the key store does not answer")
}

// timeForm is how times are written in messages.
const timeForm = "2006-01-02T15:04:05Z07:00"

// shorten keeps messages short whatever a caller sends.
func shorten(id string) string { return clip(id, 80) }

// clip cuts text to a number of bytes, between characters: a message with half
// of one cannot be sent.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// asError turns everything a provider, the store or the caller's context can
// say into an Error.
func asError(name string, err error) *Error {
	var own *Error
	var theirs *provider.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &theirs):
		return fail(providerCode(theirs.Kind), err, "%s", theirs.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fail(CodeDeadline, err, "%s did not answer in time", name)
	case errors.Is(err, context.Canceled):
		return fail(CodeCanceled, err, "the caller no longer waits")
	}
	return fail(CodeUnavailable, err, "%s failed", name)
}

func providerCode(k provider.Kind) Code {
	switch k {
	case provider.Unauthenticated:
		return CodeUnauthenticated
	case provider.Denied:
		return CodeDenied
	case provider.Disabled:
		return CodeUnusable
	case provider.Throttled:
		return CodeExhausted
	case provider.Refused:
		return CodeInvalid
	case provider.Unsupported:
		return CodeUnsupported
	case provider.Unavailable:
		return CodeUnavailable
	}
	return CodeUnavailable
}
