package refusal

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/wire"
)

// Code is the machine word of a refusal. The contract prints none, so it stays inside; callers see status and
// message.
type Code string

// The codes.
const (
	NotFound  Code = "not_found"
	Forbidden Code = "forbidden"
	Invalid   Code = "invalid"
	Conflict  Code = "conflict"
	// Login is a private read without a token.
	Login Code = "login"
	Gone  Code = "gone"
	// Busy is a call for more jobs than may be unfinished.
	Busy Code = "busy"
)

// Error is why a call is refused. Its text is the message that the caller is sent.
type Error struct {
	Code    Code
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error that led to the refusal, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Reason is the word for the log.
func (e *Error) Reason() string { return string(e.Code) }

// New refuses with a message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap refuses because of an error, whose text is not shown.
func Wrap(cause error, code Code, message string) *Error {
	return &Error{Code: code, Message: message, cause: cause}
}

// Has reports whether an error is a refusal with one of the codes, or with any when none is given.
func Has(err error, codes ...Code) bool {
	var refused *Error
	if !errors.As(err, &refused) {
		return false
	}
	for _, code := range codes {
		if refused.Code == code {
			return true
		}
	}
	return len(codes) == 0
}

// maxQuoted bounds how much of what a caller sent a message repeats.
const maxQuoted = 60

// Quote is a text of the caller as messages repeat it.
func Quote(text string) string {
	return `"` + wire.Clip(text, maxQuoted) + `"`
}
