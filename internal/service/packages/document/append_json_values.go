package document

import (
	"bytes"
	"encoding/json"
	"time"
)

// Marshal is json.Marshal without the escaping meant for HTML pages.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// stamp writes a time as the API does: UTC, with no, three or six digits of a
// fraction. The zero time is left out.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC().Truncate(time.Microsecond)
	switch ns := t.Nanosecond(); {
	case ns == 0:
		return t.Format("2006-01-02T15:04:05Z")
	case ns%int(time.Millisecond) == 0:
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}

// Separate writes the comma before every element of a list but the first.
func Separate(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}

// AppendText writes a JSON string. Plain text is copied as it is.
func AppendText(out []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			quoted, err := Marshal(s)
			if err != nil {
				return append(out, `""`...)
			}
			return append(out, quoted...)
		}
	}
	return append(append(append(out, '"'), s...), '"')
}
