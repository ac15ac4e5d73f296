package script

import (
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzShortestMatch: whatever a pattern is, it is followed or passed over.
func FuzzShortestMatch(f *testing.F) {
	fuzztest.Strings(f, "^[a-z]{3}$", "(a|b)*c+", "((a{30}){30}){30}", "a{1000}{1000}", "(?i)ß", "[^\\x00-\\x{10FFFF}]",
		"\\bx\\B", "((((((a*)*)*)*)*)*)*")
	f.Fuzz(func(t *testing.T, pattern string) {
		if text, ok := shortestMatch(pattern); ok && len(text) > 4*maxExpanded {
			t.Errorf("%q gives %d bytes", pattern, len(text))
		}
	})
}
