package recipe

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// fields reads the entries of one map and refuses unknown ones.
type fields struct {
	*node
	scope scope
	known []string
	err   error
}

// open starts reading a map; what names it in errors.
func open(n *node, s scope, what string) *fields {
	f := &fields{node: n, scope: s}
	if n.kind != mapping {
		f.err = n.errorf("%s must be a map of keys and values, this is %s", what, n.what())
	}
	return f
}

// take returns the value of a key and remembers that the key is known.
func (f *fields) take(key string) *node {
	f.known = append(f.known, key)
	if f.err != nil {
		return nil
	}
	return f.get(key)
}

// close reports the first error, or the first key that is unknown.
func (f *fields) close() error {
	if f.err != nil {
		return f.err
	}
	for _, e := range f.entries {
		if !slices.Contains(f.known, e.key) {
			return e.at.errorf("%q is unknown here; known are %s", e.key, list(once(f.known)))
		}
	}
	return nil
}

// once are the names without those that came before: a key may be read in several places.
func once(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// text reads a scalar as text.
func (f *fields) text(key string) string {
	n := f.take(key)
	if n == nil {
		return ""
	}
	s, err := f.scope.text(n, key)
	f.fail(err)
	return s
}

// need is text that must be there.
func (f *fields) need(key string) string {
	s := f.text(key)
	if f.err == nil && s == "" {
		f.fail(f.errorf("%s is missing", key))
	}
	return s
}

func (s scope) text(n *node, key string) (string, error) {
	if n.kind != scalar {
		return "", n.errorf("%s must be text, this is %s", key, n.what())
	}
	v, err := s.expand(n)
	if err != nil {
		return "", err
	}
	switch v.(type) {
	case stepList:
		return "", n.errorf("%s must be text, this is a list of steps", key)
	case executorUse:
		return "", n.errorf("%s must be text, this is an executor with its parameters", key)
	}
	// What was written counts: 1.10 stays 1.10.
	if v == n.value && n.value != nil {
		return n.text, nil
	}
	return plain(v), nil
}

func (f *fields) flag(key string) bool {
	n := f.take(key)
	if n == nil {
		return false
	}
	v, err := f.scope.expand(n)
	f.fail(err)
	b, ok := v.(bool)
	if !ok && err == nil {
		f.fail(n.errorf("%s must be true or false", key))
	}
	return b
}

// number reads a whole number within bounds; otherwise when it is missing.
func (f *fields) number(key string, otherwise, low, high int) int {
	n := f.take(key)
	if n == nil {
		return otherwise
	}
	v, err := f.scope.expand(n)
	f.fail(err)
	i, ok := whole64(v)
	if err == nil && (!ok || i < int64(low) || i > int64(high)) {
		f.fail(n.errorf("%s must be a whole number from %d to %d", key, low, high))
	}
	return int(i)
}

func whole64(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case string:
		i, err := strconv.ParseInt(v, 10, 64)
		return i, err == nil
	}
	return 0, false
}

// duration reads 90s, 10m or 1h30m.
func (f *fields) duration(key string, limit time.Duration) time.Duration {
	n := f.take(key)
	if n == nil {
		return 0
	}
	s, err := f.scope.text(n, key)
	f.fail(err)
	if err != nil {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > limit {
		f.fail(n.errorf("%s must be a time such as 90s, 10m or 1h30m, at most %s", key, limit))
	}
	return d
}

// strings reads a list of texts, or a single one.
func (f *fields) strings(key string) []string {
	n := f.take(key)
	if n == nil {
		return nil
	}
	out, err := f.scope.strings(n, key)
	f.fail(err)
	return out
}

func (s scope) strings(n *node, key string) ([]string, error) {
	items := n.items
	if n.kind == scalar {
		items = []*node{n}
	}
	if n.kind == mapping {
		return nil, n.errorf("%s must be a list, this is a map", key)
	}
	var out []string
	for _, item := range items {
		v, err := s.text(item, key)
		if err != nil {
			return nil, err
		}
		if v == "" {
			return nil, item.errorf("%s holds an empty entry", key)
		}
		out = append(out, v)
	}
	return out, nil
}

const maxVariables = 500

// environment reads a map of variables, or a list of such maps.
func (f *fields) environment(key string) map[string]string {
	n := f.take(key)
	if n == nil {
		return nil
	}
	out := map[string]string{}
	f.fail(f.scope.environment(n, out))
	return out
}

func (s scope) environment(n *node, out map[string]string) error {
	switch {
	case n.kind == sequence:
		for _, item := range n.items {
			if item.kind != mapping {
				return item.errorf("a list under environment holds maps of names and values, this is %s", item.what())
			}
			if err := s.environment(item, out); err != nil {
				return err
			}
		}
		return nil
	case n.kind == scalar && n.value == nil:
		return nil
	case n.kind == scalar:
		return n.errorf("environment must be a map of names and values, this is %s", n.what())
	}
	for _, e := range n.entries {
		if !variableName(e.key) {
			return e.at.errorf("%q is not a name for a variable; use letters, digits and _, not starting with a digit",
				e.key)
		}
		v, err := s.text(e.node, e.key)
		if err != nil {
			return err
		}
		out[e.key] = v
		if len(out) > maxVariables {
			return e.at.errorf("more than %d variables", maxVariables)
		}
	}
	return nil
}

func variableName(s string) bool {
	for i, c := range s {
		letter := c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
