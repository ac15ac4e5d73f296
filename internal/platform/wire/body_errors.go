package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

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

const unknownField = "json: unknown field "

func isUnknown(err error) bool { return strings.HasPrefix(err.Error(), unknownField) }

// explain turns an error of encoding/json into one with a path and a reason.
func explain(b []byte, err error) error {
	var misuse *json.InvalidUnmarshalError
	if errors.As(err, &misuse) {
		return err // a programming error, not the caller's
	}
	var ours *SyntaxError
	if errors.As(err, &ours) {
		return ours
	}
	if isUnknown(err) {
		name := Clip(strings.Trim(strings.TrimPrefix(err.Error(), unknownField), `"`), strictjson.MaxName)
		return &SyntaxError{Field: name, Reason: name + " is not a known member", cause: err}
	}
	var inner *optionalError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &inner):
		if start := startOf(b, inner.text); start >= 0 {
			return typeError(b, inner.wrong, int64(start)+inner.wrong.Offset)
		}
		return &SyntaxError{Reason: "a member " + demand(inner.wrong), cause: inner.wrong}
	case errors.As(err, &wrong):
		return typeError(b, wrong, wrong.Offset)
	}
	return &SyntaxError{Reason: ownReason(err), cause: err}
}

// startOf is where a part begins in the whole, by the address of its first byte,
// or -1 when it is a copy. encoding/json hands parts of its text to UnmarshalJSON
// and does not say which.
func startOf(whole, part []byte) int {
	for i := range whole {
		if len(part) > 0 && &whole[i] == &part[0] {
			return i
		}
	}
	return -1
}

// typeError says what a member should have been.
func typeError(b []byte, wrong *json.UnmarshalTypeError, offset int64) *SyntaxError {
	offset = min(max(offset, 0), int64(len(b)))
	if strings.HasPrefix(wrong.Value, "number") && offset > 0 && !isDigit(b[offset-1]) {
		offset-- // for a number in an interface encoding/json counts one too many
	}
	field := strictjson.Locate(b, offset)
	subject := field
	if subject == "" {
		subject = "the body"
	}
	return &SyntaxError{Offset: offset, Field: field, Reason: subject + " " + demand(wrong), cause: wrong}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// demand is what the destination's type asks of the value.
func demand(wrong *json.UnmarshalTypeError) string {
	number, isNumber := strings.CutPrefix(wrong.Value, "number ")
	switch wrong.Type.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if isNumber && !strings.ContainsAny(number, ".eE") {
			return "is out of range"
		}
		return "must be an integer"
	case reflect.Float32, reflect.Float64:
		if isNumber {
			return "is out of range"
		}
		return "must be a number"
	case reflect.Bool:
		return "must be true or false"
	case reflect.String:
		return "must be a string"
	case reflect.Slice, reflect.Array:
		if wrong.Type.Elem().Kind() == reflect.Uint8 {
			return "must be a string of base64"
		}
		return "must be an array"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	}
	return "has the wrong type"
}

// ownReason is for errors of members that decode themselves.
func ownReason(err error) string {
	var badTime *time.ParseError
	var badBase64 base64.CorruptInputError
	switch {
	case errors.As(err, &badTime):
		return "a time must be written as in 2006-01-02T15:04:05Z"
	case errors.As(err, &badBase64):
		return "a member must be a string of base64"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
