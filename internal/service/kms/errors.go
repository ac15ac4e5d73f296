package kms

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// Code is the kind of a failure; rpc.go gives each its gRPC code.
type Code string

// Each of them has one gRPC code.
const (
	// CodeInvalid means that the request is malformed, too large or altered.
	CodeInvalid Code = "invalid"
	// CodeUnknownKey means that no such key was ever published.
	CodeUnknownKey Code = "unknown_key"
	// CodeUnusable means that the key was destroyed or is disabled.
	CodeUnusable Code = "unusable"
	// CodeUnavailable means that the provider or the store does not answer.
	CodeUnavailable Code = "unavailable"
	// CodeUnauthenticated means that the provider does not accept our credential.
	CodeUnauthenticated Code = "unauthenticated"
	// CodeDenied means that our credential may not do this.
	CodeDenied Code = "denied"
	// CodeExhausted means that there are too many calls at once.
	CodeExhausted Code = "exhausted"
	// CodeDeadline and CodeCanceled mean that the caller does not wait any more.
	CodeDeadline Code = "deadline"
	CodeCanceled Code = "canceled"
	// CodeUnsupported means that the provider cannot do this.
	CodeUnsupported Code = "unsupported"
	// CodeInternal means that the service broke a rule of its own.
	CodeInternal Code = "internal"
)

// Error is why the service refuses. Its message contains no secret.
type Error struct {
	Code    Code
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// because sets the cause, which is not part of the message.
func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

func newError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func errInvalid(format string, args ...any) *Error  { return newError(CodeInvalid, format, args...) }
func errUnusable(format string, args ...any) *Error { return newError(CodeUnusable, format, args...) }
func errUnavailable(format string, args ...any) *Error {
	return newError(CodeUnavailable, format, args...)
}
func errInternal(format string, args ...any) *Error { return newError(CodeInternal, format, args...) }

func errUnknownKey(id string) *Error {
	return newError(CodeUnknownKey, "key %q was not published by this plugin", clipID(id))
}

func errDestroyed(k *loadedKey) *Error {
	return errUnusable("key %s was destroyed at %s", k.ID, k.DestroyedAt.Format(timeForm))
}

func errNoKey() *Error {
	return errUnavailable("no key is published yet: the provider has not answered since the start")
}

func errStore(cause error) *Error {
	return errUnavailable("the key store does not answer").because(cause)
}

// timeForm is how times are written in messages.
const timeForm = "2006-01-02T15:04:05Z07:00"

// clipID bounds what a message repeats of a request.
func clipID(id string) string { return wire.Clip(id, 80) }

// asError makes an Error of what a provider, the store or the caller's context
// returns.
func asError(name string, err error) *Error {
	var own *Error
	var theirs *provider.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &theirs):
		return newError(providerCode(theirs.Kind), "%s", theirs.Message).because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return newError(CodeDeadline, "%s did not answer in time", name).because(err)
	case errors.Is(err, context.Canceled):
		return newError(CodeCanceled, "the caller no longer waits").because(err)
	case errors.Is(err, flight.ErrClosed):
		return errUnavailable("the server is stopping")
	}
	return errUnavailable("%s failed", name).because(err)
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
