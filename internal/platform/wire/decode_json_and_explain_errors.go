package wire

import (
	"bytes"
	"encoding/json"
	"reflect"

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
