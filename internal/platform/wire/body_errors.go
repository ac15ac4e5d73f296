package wire

import (
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire/strictjson"
)

// The refusals that carry no position. A service's envelope answers each.
var (
	// ErrTooLarge means that the body exceeds the route's limit. The error that
	// is returned is a *SizeError, which knows the limit.
	ErrTooLarge = errors.New("the request body is too large")
	// ErrMediaType means that the body's Content-Type or Content-Encoding is
	// not one the operation accepts.
	ErrMediaType = errors.New("the media type of the request body is not supported")
	// ErrEmptyBody means that the operation needs a body and there is none.
	ErrEmptyBody = errors.New("the request body is empty")
)

// SizeError is ErrTooLarge with the limit that was exceeded.
type SizeError struct {
	// Limit is the largest accepted body in bytes.
	Limit int64
}

// Error names the limit, so that the caller knows what would fit.
func (e *SizeError) Error() string {
	return "the request body is larger than " + strconv.FormatInt(e.Limit, 10) + " bytes"
}

// Is makes errors.Is(err, ErrTooLarge) hold.
func (e *SizeError) Is(target error) bool { return target == ErrTooLarge }

// SyntaxError says where and why a body could not be read.
type SyntaxError struct {
	// Offset counts bytes from the start of the body to the fault.
	Offset int64
	// Field is the path of the faulty member, as in "items[2].name". It is
	// empty when the fault is not in one member, and cut when it is very long.
	Field string
	// Reason is one sentence for the client, without a full stop.
	Reason string

	cause error
}

// Error is the reason followed by the position, where that says something.
func (e *SyntaxError) Error() string {
	if e.Offset == 0 {
		return e.Reason
	}
	return e.Reason + " (at byte " + strconv.FormatInt(e.Offset, 10) + ")"
}

// Unwrap gives access to the error of a member's own decoder.
func (e *SyntaxError) Unwrap() error { return e.cause }

// Clip cuts what a message repeats to at most n bytes, between characters, and
// marks the cut.
func Clip(text string, n int) string { return strictjson.Clip(text, n) }
