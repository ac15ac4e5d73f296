package pipelines

import (
	"time"

	"stoa.dev/stoa/internal/platform/wire"
)

// optional is a text that is null when it is empty.
type optional string

// MarshalJSON implements json.Marshaler.
func (o optional) MarshalJSON() ([]byte, error) {
	if o == "" {
		return []byte("null"), nil
	}
	return wire.Text(o).MarshalJSON()
}

// stamp is a time in ISO 8601 and UTC with milliseconds, null when it is zero.
func stamp(t time.Time) optional {
	if t.IsZero() {
		return ""
	}
	return optional(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// nonZero is a number that is null when it is zero.
func nonZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// texts is a list that is never null.
func texts(list []string) []wire.Text {
	out := make([]wire.Text, len(list))
	for i, text := range list {
		out[i] = wire.Text(text)
	}
	return out
}

// joined is one object with the members of several, in order. A part that is a map of one member gives it a name that
// is not known before: one of the dialect, of a branch, of a setting.
type joined []any

// MarshalJSON implements json.Marshaler.
func (j joined) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, part := range j {
		text, err := wire.EncodeJSON(part)
		if err != nil {
			return nil, err
		}
		if len(text) <= len("{}") || text[0] != '{' {
			continue // an empty object, or a map that is nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, text[1:len(text)-1]...)
	}
	return append(out, '}'), nil
}
