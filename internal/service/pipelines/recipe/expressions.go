package recipe

import (
	"regexp"
	"strconv"
	"strings"
)

// scope is what << >> may name at one place.
type scope struct {
	// parameters are those of the job or command around, pipeline those of the
	// trigger, values the facts about the revision.
	parameters map[string]any
	pipeline   map[string]any
	values     map[string]any
	// on says whether << >> means anything: in version 2 it does not.
	on bool
	// left is what may still be spent on this file: aliases and commands can
	// make a short text stand for a very long one.
	left *budget
}

// Bounds of what a file may stand for. Aliases, commands and parameters let a
// short text name a long one many times, so what counts is what is made of it.
const (
	maxLooks = 100_000
	maxMade  = 8 << 20
	// maxPrograms bounds the patterns of a file together, in instructions.
	maxPrograms = 100_000
)

// budget bounds the values looked at and the text and patterns made.
type budget struct {
	looks, bytes, programs int
	compiled               map[string]*pattern
	tried                  map[*pattern]tried
}

func newBudget() *budget {
	return &budget{looks: maxLooks, bytes: maxMade, programs: maxPrograms, compiled: map[string]*pattern{},
		tried: map[*pattern]tried{}}
}

// spend takes from the budget.
func (s scope) spend(n *node, looks, bytes int) error {
	if s.left == nil {
		return nil
	}
	s.left.looks -= looks
	s.left.bytes -= bytes
	if s.left.looks < 0 || s.left.bytes < 0 {
		return n.errorf("the file stands for too much: aliases, commands or parameters multiply each other here")
	}
	return nil
}

// within is the scope inside a command or a job with its own parameters.
func (s scope) within(parameters map[string]any) scope {
	s.parameters = parameters
	return s
}

var expression = regexp.MustCompile(`\\?<<\s*([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+)\s*>>`)

// lookup returns the value behind a dotted name.
func (s scope) lookup(n *node, name string) (any, error) {
	if v, ok := s.values[name]; ok {
		return v, nil
	}
	from, key := s.parameters, ""
	switch {
	case strings.HasPrefix(name, "pipeline.parameters."):
		from, key = s.pipeline, strings.TrimPrefix(name, "pipeline.parameters.")
	case strings.HasPrefix(name, "parameters."):
		key = strings.TrimPrefix(name, "parameters.")
	default:
		return nil, n.errorf("<< %s >> is unknown; known are parameters.NAME, pipeline.parameters.NAME, "+
			"pipeline.git.branch and pipeline.git.tag (for a literal << write \\<<)", name)
	}
	v, ok := from[key]
	if !ok {
		return nil, n.errorf("<< %s >>: no parameter %q is declared here; declare it under parameters", name, key)
	}
	return v, nil
}

// expand replaces every << name >> of a scalar. A scalar that is nothing but
// one expression keeps the type of the parameter.
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
	if m := expression.FindStringSubmatchIndex(text); m != nil && m[0] == 0 && m[1] == len(text) && text[0] == '<' {
		v, err := s.lookup(n, text[m[2]:m[3]])
		if err != nil {
			return nil, err
		}
		return v, s.spend(n, 0, len(plain(v)))
	}
	var b strings.Builder
	last := 0
	for _, m := range expression.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[last:m[0]])
		last = m[1]
		if text[m[0]] == '\\' {
			b.WriteString(text[m[0]+1 : m[1]])
			continue
		}
		v, err := s.lookup(n, text[m[2]:m[3]])
		if err != nil {
			return nil, err
		}
		if _, steps := v.(*node); steps {
			return nil, n.errorf("<< %s >> is a list of steps; it cannot be part of a text", text[m[2]:m[3]])
		}
		b.WriteString(plain(v))
		if b.Len() > maxBytes {
			return nil, n.errorf("the text grows beyond %d bytes", maxBytes)
		}
	}
	b.WriteString(text[last:])
	return b.String(), s.spend(n, 1, b.Len())
}

// plain is a value as text.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// truth evaluates a logic statement.
func (s scope) truth(n *node) (bool, error) {
	if err := s.spend(n, 1, 0); err != nil {
		return false, err
	}
	if n.kind == scalar {
		v, err := s.expand(n)
		return truthy(v), err
	}
	if n.kind != mapping || len(n.entries) != 1 {
		return false, n.errorf("a condition is a value or one of and, or, not, equal, matches")
	}
	arg := n.entries[0].node
	switch word := n.entries[0].key; word {
	case "not":
		v, err := s.truth(arg)
		return !v, err
	case "and", "or":
		return s.allOrAny(arg, word == "and")
	case "equal":
		return s.equal(arg)
	case "matches":
		return s.matches(arg)
	default:
		return false, n.errorf("%q is no condition; write and, or, not, equal or matches", word)
	}
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	}
	return true
}

func (s scope) allOrAny(n *node, all bool) (bool, error) {
	if n.kind != sequence || len(n.items) == 0 {
		return false, n.errorf("and, or take a list of conditions, this is %s", n.what())
	}
	result := all
	for _, item := range n.items {
		v, err := s.truth(item)
		if err != nil {
			return false, err
		}
		if v != all {
			result = !all
		}
	}
	return result, nil
}

func (s scope) equal(n *node) (bool, error) {
	if n.kind != sequence || len(n.items) < 2 {
		return false, n.errorf("equal takes a list of two or more values")
	}
	var first any
	same := true
	for i, item := range n.items {
		v, err := s.expand(item)
		if err != nil {
			return false, err
		}
		if i == 0 {
			first = v
		}
		same = same && v == first
	}
	return same, nil
}

func (s scope) matches(n *node) (bool, error) {
	pattern, value := n.get("pattern"), n.get("value")
	if pattern == nil || value == nil || len(n.entries) != 2 {
		return false, n.errorf("matches takes pattern and value")
	}
	p, err := s.compile(pattern, pattern.text)
	if err != nil {
		return false, err
	}
	v, err := s.expand(value)
	if err != nil {
		return false, err
	}
	return s.matched(value, p, plain(v))
}
