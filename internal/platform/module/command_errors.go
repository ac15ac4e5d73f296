package module

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Failure is why a command could not be done; it decides the exit code.
type Failure string

// The failures and their exit codes, which scripts may rely on.
const (
	Failed   Failure = "failed"
	Usage    Failure = "usage"
	NotFound Failure = "not_found"
	Conflict Failure = "conflict"
	Owned    Failure = "owned"
	Config   Failure = "config"
)

// ExitCode is the process exit code of the failure.
func (f Failure) ExitCode() int {
	switch f {
	case Usage:
		return 2
	case NotFound:
		return 3
	case Conflict:
		return 4
	case Owned:
		return 5
	case Config:
		return 6
	case Failed:
		return 1
	}
	return 1
}

// CommandError names the cause and the next step.
type CommandError struct {
	Failure Failure `json:"failure"`
	Message string  `json:"message"`
	Next    string  `json:"next,omitempty"`
	cause   error
}

// Fail makes a CommandError, whose message names no package. next may be empty.
func Fail(f Failure, next, format string, args ...any) *CommandError {
	err := fmt.Errorf(format, args...)
	return &CommandError{Failure: f, Message: PlainMessage(err.Error()), Next: next, cause: err}
}

// Error is the cause and the next step in one line.
func (e *CommandError) Error() string {
	if e.Next == "" {
		return e.Message
	}
	return e.Message + "; " + e.Next
}

// Sentences are the cause and the next step for a page: each begins with a capital, unless it
// begins with a command to type, and ends with a full stop.
func (e *CommandError) Sentences() string {
	return strings.TrimSpace(sentence(e.Message) + " " + sentence(e.Next))
}

func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if text == "" {
		return ""
	}
	if !strings.HasPrefix(text, "stoa ") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

// Unwrap is the error the failure was made from.
func (e *CommandError) Unwrap() error { return e.cause }
