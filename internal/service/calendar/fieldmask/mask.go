package fieldmask

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/calendar/reason"
)

// Mask is the members an answer keeps. An empty mask keeps everything below it.
type Mask map[string]Mask

const (
	maxText  = 4096
	maxDepth = 20
)

// Parse reads "kind,items(id,start/dateTime)". The star stands for every
// member.
func Parse(text string) (Mask, error) {
	if len(text) > maxText {
		return nil, errInvalid(": longer than %d characters", maxText)
	}
	m := Mask{}
	rest, err := m.read(text, 0)
	if err == nil && rest != "" {
		err = errInvalid(" %s", reason.Clip(rest))
	}
	return m, err
}

// read takes a list of paths up to the parenthesis that ends it.
func (m Mask) read(text string, depth int) (rest string, err error) {
	if depth > maxDepth {
		return "", errInvalid(": nested too deeply")
	}
	for {
		at := m
		for {
			end := strings.IndexAny(text, ",/()")
			if end < 0 {
				end = len(text)
			}
			name := strings.TrimSpace(text[:end])
			if name == "" {
				return "", errInvalid(" %s", reason.Clip(text))
			}
			if at[name] == nil {
				at[name] = Mask{}
			}
			at, text = at[name], text[end:]
			if !strings.HasPrefix(text, "/") {
				break
			}
			text = text[1:]
		}
		if inner, ok := strings.CutPrefix(text, "("); ok {
			if text, err = at.read(inner, depth+1); err != nil {
				return "", err
			}
			if text, ok = strings.CutPrefix(text, ")"); !ok {
				return "", errInvalid(": a parenthesis is not closed")
			}
		}
		next, more := strings.CutPrefix(text, ",")
		if !more {
			return text, nil
		}
		text = next
	}
}

// Of gives the members of an answer that the mask keeps.
func (m Mask) Of(answer any) (any, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	return m.keep(whole), nil
}

func (m Mask) keep(value any) any {
	if len(m) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range value {
			sub, ok := m[name]
			if !ok {
				sub, ok = m["*"]
			}
			if ok {
				out[name] = sub.keep(inner)
			}
		}
		return out
	case []any:
		for i := range value {
			value[i] = m.keep(value[i])
		}
	}
	return value
}

func errInvalid(format string, args ...any) error {
	return reason.Invalid("fields", "Invalid field selection"+format, args...)
}
