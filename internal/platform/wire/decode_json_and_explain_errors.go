package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/wire/strictjson"
)

// DecodeJSON reads one JSON text into dst, as strictly as ReadJSON reads a body.
// A refusal is a *SyntaxError or ErrEmptyBody; dst may then be half filled.
func DecodeJSON(b []byte, dst any, opts ...Option) error {
	s := collect(opts)
	return s.decode(b, dst)
}

func (s *settings) decode(b []byte, dst any) error {
	if len(bytes.TrimLeft(b, " \t\r\n")) == 0 {
		if s.allowEmpty {
			return nil
		}
		return ErrEmptyBody
	}
	values, fault := strictjson.Scan(b, s.allowNUL, s.maxValues)
	if fault != nil {
		return &SyntaxError{Offset: fault.Offset, Field: fault.Path, Reason: fault.Reason}
	}
	if s.weigher != nil && values > fewValues {
		if err := s.weigher.Weigh(int64(values) * valueWeight); err != nil {
			return err
		}
	}
	if raw, ok := dst.(*json.RawMessage); ok && raw != nil {
		// The scan was stricter than the one that encoding/json would make to find its end.
		*raw = append((*raw)[:0], bytes.Trim(b, " \t\r\n")...)
		return nil
	}
	var err error
	if s.disallowUnknown {
		err = strictUnmarshal(b, dst)
	} else {
		err = json.Unmarshal(b, dst)
	}
	if err == nil {
		return nil
	}
	return explain(b, err)
}

// strictUnmarshal refuses members that dst does not have.
func strictUnmarshal(b []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(dst)
	if err == nil {
		return unknownInside(b, dst)
	}
	if isUnknown(err) {
		return err
	}
	// The decoder reads from a buffer of its own, so offsets that come from
	// within an Optional cannot be related to b. Unmarshal works on b itself and
	// fails for the same reason.
	if v := reflect.ValueOf(dst); v.Kind() == reflect.Pointer && !v.IsNil() {
		if again := json.Unmarshal(b, reflect.New(v.Type().Elem()).Interface()); again != nil {
			return again
		}
	}
	return err
}

// unknownInside refuses what encoding/json cannot see: members of what an Optional holds,
// which decodes itself.
func unknownInside(b []byte, dst any) error {
	t := reflect.TypeOf(dst)
	if !optionalHolders.Holds(t) {
		return nil
	}
	unknown := Unread(t, b)
	if len(unknown) == 0 {
		return nil
	}
	path := Clip(dotted(unknown[0]), maxPath)
	return &SyntaxError{Field: path, Reason: path + " is not a known member"}
}

// maxPath is how much of a member's path a refusal repeats.
const maxPath = 400

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
