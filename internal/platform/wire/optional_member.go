package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Optional tells a member that is absent from one that is null and from one
// that has a value, as patches by merge need (RFC 7396). As a struct member it
// takes the JSON option "omitzero" to stay absent when written.
type Optional[T any] struct {
	// Present is true when the member was there, as null or as a value.
	Present bool
	// Null is true when the member was null.
	Null bool
	// Value is the member's value unless it was null or absent.
	Value T
}

// Some is a present value.
func Some[T any](v T) Optional[T] { return Optional[T]{Present: true, Value: v} }

// Null is a present null.
func Null[T any]() Optional[T] { return Optional[T]{Present: true, Null: true} }

// Get is the value, and whether there is one.
func (o Optional[T]) Get() (T, bool) { return o.Value, o.Present && !o.Null }

// Or is the value, or otherwise when the member was absent or null.
func (o Optional[T]) Or(otherwise T) T {
	if v, ok := o.Get(); ok {
		return v
	}
	return otherwise
}

// Apply merges the member into dst: absent keeps it, null clears it, a value
// replaces it.
func (o Optional[T]) Apply(dst *T) {
	if o.Present {
		*dst = o.Value // zero when Null
	}
}

// IsZero makes "omitzero" leave out an absent member.
func (o Optional[T]) IsZero() bool { return !o.Present }

// UnmarshalJSON is called only for members that are there.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	*o = Optional[T]{Present: true}
	if bytes.Equal(b, []byte("null")) {
		o.Null = true
		return nil
	}
	err := json.Unmarshal(b, &o.Value)
	var deeper *optionalError
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &deeper) && errors.As(err, &wrong) {
		return &optionalError{wrong: wrong, text: b}
	}
	return err
}

// optionalError carries a type error out of a nested decoder together with
// the text it read, from which explain finds the position in the whole.
type optionalError struct {
	wrong *json.UnmarshalTypeError
	text  []byte
}

// Error is never shown; explain replaces it.
func (e *optionalError) Error() string { return e.wrong.Error() }

// Unwrap serves those who use encoding/json without this package.
func (e *optionalError) Unwrap() error { return e.wrong }

// MarshalJSON writes null for both null and absent.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if v, ok := o.Get(); ok {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}
