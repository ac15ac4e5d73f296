package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// The kinds of an Error, for errors.Is.
var (
	// ErrInvalid means that a client sent what is not git's protocol.
	ErrInvalid = errors.New("invalid")
	// ErrTooLarge means that something exceeds a configured bound.
	ErrTooLarge = errors.New("too large")
	// ErrLimits means that a program reached its limits of memory or time.
	ErrLimits = errors.New("beyond its limits")
	// ErrNoProgram means that git could not be run.
	ErrNoProgram = errors.New("no git program")
)

// Error is a refusal with a message for the client.
type Error struct {
	Kind    error
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is(err, ErrTooLarge) and its like work.
func (e *Error) Is(target error) bool { return target == e.Kind }

func (e *Error) Unwrap() error { return e.cause }

func errInvalid(format string, args ...any) *Error {
	return &Error{Kind: ErrInvalid, Message: fmt.Sprintf(format, args...)}
}

func errTooLarge(format string, args ...any) *Error {
	return &Error{Kind: ErrTooLarge, Message: fmt.Sprintf(format, args...)}
}

// RunError is a program that ended badly.
type RunError struct {
	// Stderr is the beginning of what it printed there.
	Stderr  string
	command string
	cause   error
}

func (e *RunError) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		text = e.cause.Error()
	}
	return "git " + e.command + ": " + text
}

func (e *RunError) Unwrap() error { return e.cause }

// IsRunError reports whether a program ended badly.
func IsRunError(err error) bool {
	var failed *RunError
	return errors.As(err, &failed)
}

// lacksMemory reports whether a program ended for want of memory.
func lacksMemory(err error) bool {
	var failed *RunError
	return errors.As(err, &failed) && strings.Contains(strings.ToLower(failed.Stderr), "memory")
}

// refuseLimits has a program that the system ended, or that lacked memory, refuse: what it
// was asked about is too large to be shown, and the server has not failed.
func refuseLimits(err error) error {
	var exit *exec.ExitError
	signaled := errors.As(err, &exit) && exit.ExitCode() < 0
	if !IsRunError(err) || !lacksMemory(err) && !signaled {
		return err
	}
	return &Error{
		Kind: ErrLimits, cause: err,
		Message: "git cannot answer within its limits of memory and time; clone the repository to read it",
	}
}

func runError(ctx context.Context, command string, err error, stderr string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return &Error{
			Kind: ErrNoProgram, cause: err,
			Message: "the git program was not found; install git or name it with forge.git",
		}
	}
	return &RunError{command: command, Stderr: stderr, cause: err}
}
