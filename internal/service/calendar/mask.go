package calendar

import (
	"encoding/json"
	"strings"
)

// mask is the parameter fields: the members an answer keeps. An empty mask
// keeps everything below it.
type mask map[string]mask

// maxMask bounds the parameter.
const maxMask = 4096

// parseMask reads "kind,items(id,start/dateTime)". The star stands for every
// member.
func parseMask(text string) (mask, error) {
	if len(text) > maxMask {
		return nil, errInvalid("fields", "Invalid field selection: longer than %d characters", maxMask)
	}
	m := mask{}
	rest, err := m.read(text, 0)
	if err == nil && rest != "" {
		err = errInvalid("fields", "Invalid field selection %s", clip(rest))
	}
	return m, err
}

// read takes a list of paths up to the parenthesis that ends it.
func (m mask) read(text string, depth int) (rest string, err error) {
	if depth > 20 {
		return "", errInvalid("fields", "Invalid field selection: nested too deeply")
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
				return "", errInvalid("fields", "Invalid field selection %s", clip(text))
			}
			if at[name] == nil {
				at[name] = mask{}
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
				return "", errInvalid("fields", "Invalid field selection: a parenthesis is not closed")
			}
		}
		next, more := strings.CutPrefix(text, ",")
		if !more {
			return text, nil
		}
		text = next
	}
}

// of gives the members of an answer that the mask keeps.
func (m mask) of(answer any) (any, error) {
	var whole any
	if err := json.Unmarshal(stored(answer), &whole); err != nil {
		return nil, err
	}
	return m.keep(whole), nil
}

func (m mask) keep(value any) any {
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
