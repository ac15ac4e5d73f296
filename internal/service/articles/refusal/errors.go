package refusal

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the machine word of a refusal, as in the type member.
type Kind string

// The kinds of the contract, and RateLimited, which is ours.
const (
	BadRequest   Kind = "bad_request"
	Unauthorized Kind = "unauthorized"
	Forbidden    Kind = "forbidden"
	NotFound     Kind = "not_found"
	RateLimited  Kind = "rate_limit_exceeded"
	Internal     Kind = "internal_server_error"
)

// Error is why a request is refused.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }

// New refuses with a message.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// Missing is the one answer for what is not there and for what the caller may not see.
func Missing() *Error { return New(NotFound, "Not found") }

// Is reports whether an error is a refusal and not a failure.
func Is(err error) bool {
	var refused *Error
	return errors.As(err, &refused)
}

// maxTitle is how many characters a title has.
const maxTitle = 255

// CheckTitle refuses a title, or the name of something, that is blank or too long.
func CheckTitle(member, text string) error {
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxTitle {
		return New(BadRequest, "%s must have 1 to 255 characters", member)
	}
	return nil
}
