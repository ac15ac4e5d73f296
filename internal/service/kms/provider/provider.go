package provider

import (
	"errors"
	"fmt"
)

// Version is one version of a remote key.
type Version struct {
	// Name is what the remote calls it, as Wrap and Unwrap take it.
	Name string
	// Stamp tells it from another version of the same name: where the key
	// lives and when the version was made. A key that was deleted and made
	// anew has another stamp.
	Stamp string
}

// Kind says what kind of failure a provider met.
type Kind string

// The kinds of failures.
const (
	// Unavailable means that the remote does not answer, or is sealed.
	Unavailable Kind = "unavailable"
	// Unauthenticated means that the remote does not know our credential.
	Unauthenticated Kind = "unauthenticated"
	// Denied means that our credential may not do this.
	Denied Kind = "denied"
	// Disabled means that the key is missing, disabled or being destroyed.
	Disabled Kind = "disabled"
	// Throttled means that the remote wants fewer calls.
	Throttled Kind = "throttled"
	// Refused means that what we sent does not open or is malformed.
	Refused Kind = "refused"
	// Unsupported means that this provider cannot do it at all.
	Unsupported Kind = "unsupported"
)

// Error is a failure of a provider. Its message holds no secret.
type Error struct {
	Kind    Kind
	Message string
	cause   error
}

// Fail makes an Error; the cause may be nil and is not part of the message.
func Fail(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), cause: cause}
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

// Unwrap is what the failure was made from.
func (e *Error) Unwrap() error { return e.cause }

// KindOf is the kind of the failure, Unavailable when nobody said.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unavailable
}
