package script

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// The bounds of a pattern that is followed: its length, and what it has once its
// counted repetitions are written out, which is how it is matched.
const (
	maxPattern  = 1000
	maxExpanded = 10_000
)

// expanded is how many pieces an expression has with its repetitions written
// out, or more than maxExpanded.
func expanded(e *syntax.Regexp) int {
	n := 1 + len(e.Rune)
	for _, sub := range e.Sub {
		if n += expanded(sub); n > maxExpanded {
			return n
		}
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min, e.Max)
	}
	return n
}

// shortestMatch is a short text that a pattern matches; false means that the
// pattern is not one this server can follow.
func shortestMatch(pattern string) (string, bool) {
	if len(pattern) > maxPattern {
		return "", false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || expanded(tree) > maxExpanded {
		return "", false
	}
	var b strings.Builder
	if !spell(&b, tree.Simplify()) {
		return "", false
	}
	// Places between characters were passed over; the pattern has the last word.
	matches, err := regexp.MatchString(pattern, b.String())
	return b.String(), err == nil && matches
}

// spell writes the shortest way through an expression.
func spell(b *strings.Builder, e *syntax.Regexp) bool {
	switch e.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		return spellClass(b, e.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return spell(b, e.Sub[0])
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			if !spell(b, sub) {
				return false
			}
		}
	default: // what may be left out, and places between characters
	}
	return true
}

// spellClass takes a letter or digit of a class where it has one. Classes are
// pairs of bounds.
func spellClass(b *strings.Builder, bounds []rune) bool {
	for _, r := range "aA0" {
		for i := 0; i < len(bounds); i += 2 {
			if bounds[i] <= r && r <= bounds[i+1] {
				b.WriteRune(r)
				return true
			}
		}
	}
	for _, r := range bounds {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			return true
		}
	}
	return false
}
