package fieldmask

import (
	"errors"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/platform/wire"
)

// Mask is the members an answer keeps.
type Mask map[string]Mask

// everything is the member that stands for all members.
const everything = "*"

// A mask is bounded in both directions: its reader and its users recurse.
const (
	maxText  = 4096
	maxDepth = 20
)

// Error is why a mask cannot be used.
type Error struct{ Message string }

// Error says what is wrong with the mask.
func (e *Error) Error() string { return e.Message }

func errInvalid(detail string) error { return &Error{"Invalid field selection" + detail} }

// Parse reads a mask.
func Parse(text string) (Mask, error) {
	if len(text) > maxText {
		return nil, errInvalid(": longer than 4096 characters")
	}
	m := Mask{}
	rest, err := m.read(text, 0)
	if err == nil && rest != "" {
		err = errInvalid(" " + wire.Clip(rest, 60))
	}
	var missing *noName
	if errors.As(err, &missing) {
		err = missing.within(text)
	}
	return m, err
}

// noName is a place where a name should stand: before what is left of the text.
type noName struct{ rest string }

// Error is never shown; Parse knows the text before it.
func (n *noName) Error() string { return "a name is missing" }

func (n *noName) within(text string) error {
	before := strings.TrimSpace(text[:len(text)-len(n.rest)])
	if before == "" {
		return errInvalid(": it must begin with a name")
	}
	const shown = 60
	if len(before) > shown {
		before = "…" + strings.ToValidUTF8(before[len(before)-shown:], "")
	}
	return errInvalid(": a name is missing after " + before)
}

// read takes a list of paths up to the parenthesis that ends it.
func (m Mask) read(text string, depth int) (rest string, err error) {
	for {
		if text, err = m.readPath(text, depth); err != nil {
			return "", err
		}
		next, more := strings.CutPrefix(text, ",")
		if !more {
			return text, nil
		}
		text = next
	}
}

// readPath takes "a/b/c", and what stands in parentheses behind it.
func (m Mask) readPath(text string, depth int) (rest string, err error) {
	if depth > maxDepth {
		return "", errInvalid(": nested too deeply")
	}
	end := strings.IndexAny(text, ",/()")
	if end < 0 {
		end = len(text)
	}
	name := strings.TrimSpace(text[:end])
	if name == "" {
		return "", &noName{text}
	}
	inner := m[name]
	if inner == nil {
		inner = Mask{}
		m[name] = inner
	}
	rest = text[end:]
	switch {
	case strings.HasPrefix(rest, "/"):
		return inner.readPath(rest[1:], depth+1)
	case strings.HasPrefix(rest, "("):
		return inner.readGroup(rest[1:], depth+1)
	}
	inner[everything] = Mask{} // whatever else names a part of it
	return rest, nil
}

func (m Mask) readGroup(text string, depth int) (rest string, err error) {
	if rest, err = m.read(text, depth); err != nil {
		return "", err
	}
	rest, closed := strings.CutPrefix(rest, ")")
	if !closed {
		return "", errInvalid(": a parenthesis is not closed")
	}
	return strings.TrimLeftFunc(rest, unicode.IsSpace), nil // as around names
}

// whole reports whether the mask keeps everything below it.
func (m Mask) whole() bool {
	if len(m) == 0 {
		return true
	}
	inner, ok := m[everything]
	return ok && inner.whole()
}

// find is the mask of a member, false when the member goes.
func (m Mask) find(name string) (Mask, bool) {
	if inner, ok := m[name]; ok {
		return inner, true
	}
	inner, ok := m[everything]
	return inner, ok
}
