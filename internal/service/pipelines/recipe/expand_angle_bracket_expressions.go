package recipe

import (
	"regexp"
	"strings"
)

// tag is one << name >> of a text: a value, the beginning of a conditional
// block (# when it holds, ^ when not), or the end of one (/).
var tag = regexp.MustCompile(`^<<\s*([#^/]?)\s*([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+)\s*>>`)

// expand replaces every << name >> of a scalar. A scalar that is nothing but
// one expression keeps the type of the value.
func (s scope) expand(n *node) (any, error) {
	// Every value taken counts, also one that stands here as it was written: an
	// alias makes it the value of a thousand places.
	if err := s.spend(n, 1, len(n.text)); err != nil {
		return nil, err
	}
	text, ok := n.value.(string)
	if !ok || !s.on || !strings.Contains(text, "<<") {
		return n.value, nil
	}
	if m := tag.FindStringSubmatch(text); m != nil && len(m[0]) == len(text) && m[1] == "" {
		v, err := s.lookup(n, m[2])
		if err != nil {
			return nil, err
		}
		return v, s.spend(n, 0, len(plain(v)))
	}
	if inner, ok := enclosed(text); ok && len(inner)+4 == len(text) && isInfix(inner) {
		return s.infix(n, inner)
	}
	t := template{scope: s, at: n, rest: text}
	if err := t.render("", true); err != nil {
		return nil, err
	}
	return t.out.String(), s.spend(n, 1, t.out.Len())
}

// enclosed is what stands between << and the next >> of the line.
func enclosed(text string) (string, bool) {
	line, _, _ := strings.Cut(text, "\n")
	inner, ok := strings.CutPrefix(line, "<<")
	if !ok {
		return "", false
	}
	return cutString(inner, ">>")
}

func cutString(text, end string) (string, bool) {
	before, _, ok := strings.Cut(text, end)
	return before, ok
}

// template turns one text into another.
type template struct {
	scope scope
	at    *node
	rest  string
	out   strings.Builder
	depth int
}

// render writes the text up to the end of the block named, or the whole rest.
// What is not shown is read all the same: it must be sound.
func (t *template) render(block string, show bool) error {
	if t.depth++; t.depth > maxDepth {
		return t.at.errorf("conditional blocks are nested deeper than %d", maxDepth)
	}
	defer func() { t.depth-- }()
	for {
		i := strings.Index(t.rest, "<<")
		if i < 0 {
			if block != "" {
				return t.at.errorf("<<# %s >> has no end; write <</ %s >>", block, block)
			}
			return t.write(t.rest, show)
		}
		escaped := i > 0 && t.rest[i-1] == '\\'
		before := t.rest[:i]
		t.rest = t.rest[i:]
		if escaped {
			before = before[:len(before)-1] + "<<"
			t.rest = t.rest[2:]
		}
		if err := t.write(before, show); err != nil {
			return err
		}
		if escaped {
			continue
		}
		if done, err := t.tag(block, show); done || err != nil {
			return err
		}
	}
}

// tag takes what begins with << at the beginning of the rest. It reports
// whether that ends the block.
func (t *template) tag(block string, show bool) (bool, error) {
	m := tag.FindStringSubmatch(t.rest)
	if m == nil {
		return false, t.infix(show)
	}
	mark, name := m[1], m[2]
	t.rest = t.rest[len(m[0]):]
	if mark == "/" {
		if name != block {
			return false, t.at.errorf("<</ %s >> ends a block that is not open here", name)
		}
		return true, nil
	}
	v, err := t.scope.lookup(t.at, name)
	if err != nil {
		return false, err
	}
	if mark != "" {
		if err := t.scope.spend(t.at, 1, 0); err != nil {
			return false, err
		}
		return false, t.render(name, show && truthy(v) == (mark == "#"))
	}
	if _, steps := v.(stepList); steps {
		return false, t.at.errorf("<< %s >> is a list of steps; it cannot be part of a text", name)
	}
	return false, t.write(plain(v), show)
}

// infix takes << expression >>, or a << that means itself: shells use it.
func (t *template) infix(show bool) error {
	inner, ok := enclosed(t.rest)
	if !ok || !isInfix(inner) {
		t.rest = t.rest[2:]
		return t.write("<<", show)
	}
	t.rest = t.rest[len(inner)+4:]
	v, err := t.scope.infix(t.at, inner)
	if err != nil {
		return err
	}
	return t.write(plain(v), show)
}

func (t *template) write(text string, show bool) error {
	if !show {
		return nil
	}
	t.out.WriteString(text)
	if t.out.Len() > maxBytes {
		return t.at.errorf("the text grows beyond %d bytes", maxBytes)
	}
	return nil
}
