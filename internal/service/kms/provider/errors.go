package provider

import (
	"errors"
	"fmt"
)

// Kind is the kind of a provider's failure.
type Kind string

// The plugin has a code for each of them.
const (
	// Unavailable means that the remote does not answer, or is sealed.
	Unavailable Kind = "unavailable"
	// Unauthenticated means that the remote does not accept our credential.
	Unauthenticated Kind = "unauthenticated"
	// Denied means that our credential may not do this.
	Denied Kind = "denied"
	// Disabled means that the key is missing, disabled or being destroyed.
	Disabled Kind = "disabled"
	// Throttled means that the remote wants fewer calls.
	Throttled Kind = "throttled"
	// Refused means that what was sent does not open or is malformed.
	Refused Kind = "refused"
	// Unsupported means that this provider cannot do it at all.
	Unsupported Kind = "unsupported"
)

// Error is a failure of a provider. Its message contains no secret.
type Error struct {
	Kind    Kind
	Message string
	cause   error
}

// NewError makes an Error; the cause may be nil and is not part of the message.
func NewError(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), cause: cause}
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// KindOf is the kind of the failure, Unavailable when it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unavailable
}
