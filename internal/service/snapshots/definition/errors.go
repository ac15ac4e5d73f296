package definition

import (
	"fmt"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Error is why a definition is refused.
type Error struct {
	Message string
	cause   error
}

// Error is the reason in words.
func (e *Error) Error() string { return e.Message }

// Unwrap gives access to the cause.
func (e *Error) Unwrap() error { return e.cause }

// errInvalid repeats at most the beginning of what the caller wrote.
func errInvalid(format string, args ...any) *Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = query.Clip(s)
		}
	}
	return &Error{Message: fmt.Sprintf(format, args...)}
}
