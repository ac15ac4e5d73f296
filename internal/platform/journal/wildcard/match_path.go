package wildcard

import "strings"

// Matches reports whether a path matches a pattern, in which * stands for anything
// within a segment and ** for anything across segments.
func Matches(pattern, text string) bool {
	// Where the last star of each kind was, and how far the text was read there: a
	// longer match of the last star is tried first, then of the one across segments.
	type mark struct{ pattern, text int }
	none := mark{-1, -1}
	within, across := none, none
	p, t := 0, 0
	for t < len(text) {
		switch {
		case strings.HasPrefix(pattern[p:], "**"):
			across, within = mark{p + 2, t}, none
			p += 2
		case p < len(pattern) && pattern[p] == '*':
			within = mark{p + 1, t}
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case within != none && text[within.text] != '/':
			within.text++
			p, t = within.pattern, within.text
		case across != none:
			across.text++
			p, t, within = across.pattern, across.text, none
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
