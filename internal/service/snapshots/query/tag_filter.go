package query

import "strings"

// Tags is the tags of one stored series. Implementations answer from the form
// in which they keep them.
type Tags interface {
	// Values returns the values of a key: none when the series lacks it, one
	// empty value for a tag without a colon.
	Values(key string) []string
}

// Filter decides which series a query reads.
type Filter interface {
	Match(t Tags) bool
}

// Everything is the filter of {*}.
type Everything struct{}

// Match accepts every series.
func (Everything) Match(Tags) bool { return true }

// Has accepts series with a tag; the value may hold wildcards.
type Has struct {
	Key, Value string
	Bare       bool // a tag without a colon
}

// Match compares the tag's values with the pattern, which is in lower case;
// values of other protocols may not be.
func (h Has) Match(t Tags) bool {
	for _, v := range t.Values(h.Key) {
		if h.Bare && v == "" || !h.Bare && glob(h.Value, strings.ToLower(v)) {
			return true
		}
	}
	return false
}

// Not inverts a filter.
type Not struct{ Filter Filter }

// Match accepts what the inner filter does not.
func (n Not) Match(t Tags) bool { return !n.Filter.Match(t) }

// All accepts what every part accepts.
type All []Filter

// Match stops at the first part that refuses.
func (a All) Match(t Tags) bool {
	for _, f := range a {
		if !f.Match(t) {
			return false
		}
	}
	return true
}

// Any accepts what one part accepts.
type Any []Filter

// Match stops at the first part that accepts.
func (a Any) Match(t Tags) bool {
	for _, f := range a {
		if f.Match(t) {
			return true
		}
	}
	return false
}

// Required returns the tags with plain values that every accepted series must
// have, so that a store can look them up in its index.
func Required(f Filter) []Has {
	switch f := f.(type) {
	case Has:
		if !f.Bare && !strings.Contains(f.Value, "*") {
			return []Has{f}
		}
	case All:
		var out []Has
		for _, part := range f {
			out = append(out, Required(part)...)
		}
		return out
	}
	return nil
}

// glob matches * with any run of characters. It backtracks to the last star
// only, so its time is bounded by the product of both lengths.
func glob(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
