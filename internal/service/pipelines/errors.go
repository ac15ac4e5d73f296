package pipelines

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/forge"
)

// Code is the machine word of a failure. The contract prints none, so they
// stay inside; the envelope shows status and message.
type Code string

// The failures of the service itself.
const (
	CodeNotFound  Code = "not_found"
	CodeForbidden Code = "forbidden"
	CodeInvalid   Code = "invalid"
	CodeConflict  Code = "conflict"
	// CodeLogin is a private read without a token.
	CodeLogin Code = "login"
	CodeGone  Code = "gone"
	// CodeBusy is a wish for more jobs than may be unfinished.
	CodeBusy Code = "busy"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	cause   error
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

// Unwrap is what lies behind it.
func (e *Error) Unwrap() error { return e.cause }

// Reason is the word for the log.
func (e *Error) Reason() string { return string(e.Code) }

// errLeaseLost tells a worker that the job is no longer its own.
var errLeaseLost = errors.New("pipelines: the job belongs to somebody else now")

func errNotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: what + " not found"}
}

func errProject() *Error { return errNotFound("Project") }
func errBuild() *Error   { return errNotFound("Build") }

func errInvalid(message string) *Error { return &Error{Code: CodeInvalid, Message: message} }

func errForbidden(message string) *Error {
	return &Error{Code: CodeForbidden, Message: "Permission denied: " + message}
}

func errPersonal() *Error {
	return errForbidden("this call needs a personal token, and a project token was sent")
}

func errConflict(message string) *Error { return &Error{Code: CodeConflict, Message: message} }

func errLogin() *Error { return &Error{Code: CodeLogin, Message: "You must log in first."} }

func errGone(message string) *Error { return &Error{Code: CodeGone, Message: message} }

// errBusy says whose bound of unfinished jobs is reached.
func errBusy(whose string, open, more, most int64) *Error {
	return &Error{Code: CodeBusy, Message: fmt.Sprintf(
		"Too many jobs: the %s has %d unfinished ones and this would add %d, the limit is %d. Wait until some have ended, or cancel some.",
		whose, open, more, most)}
}

// clip keeps an answer from repeating whatever was sent.
func clip(text string) string {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return `"` + text + `"`
}

// fromForge says a refusal of the forge in our words.
func fromForge(err error) error {
	var refused *forge.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case forge.CodeNotFound:
		return &Error{Code: CodeNotFound, Message: refused.Message, cause: err}
	case forge.CodeInvalid, forge.CodeTooLarge:
		return &Error{Code: CodeInvalid, Message: refused.Message, cause: err}
	case forge.CodeForbidden:
		return errForbidden(refused.Message)
	case forge.CodeTaken:
		return errConflict(refused.Message)
	case forge.CodeUnavailable:
	}
	return err
}
