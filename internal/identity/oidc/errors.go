package oidc

import (
	"errors"
	"fmt"
)

// Error is why a sign-in failed. Text is for the user; the cause is for the log.
type Error struct {
	Text string
	// Unavailable means that the provider could not be asked.
	Unavailable bool
	cause       error
}

func (e *Error) Error() string { return fmt.Sprintf("oidc: %v", e.cause) }

func (e *Error) Unwrap() error { return e.cause }

func refuse(text, cause string) error { return &Error{Text: text, cause: errors.New(cause)} }

// unavailable is a provider that does not answer, or not as OpenID Connect says.
func unavailable(err error) error {
	return &Error{Text: "The sign-in provider does not answer. Try again in a moment.", Unavailable: true, cause: err}
}

// notTrusted is an answer that does not prove who signed in.
func notTrusted(err error) error {
	return &Error{Text: "The sign-in provider's answer is not valid. Start again.", cause: err}
}
