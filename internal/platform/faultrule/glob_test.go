package faultrule

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzPatterns compares with a regular expression.
func FuzzPatterns(f *testing.F) {
	for _, seed := range [][2]string{
		{"/a/*/c", "/a/b/c"}, {"/a/**", "/a/b/c"}, {"**/c", "/a/b/c"}, {"/*a*b/*c", "/xaxb/c"}, {"*", ""}, {"**", "/"},
		{"/a*", "/a/b"}, {"***a", "xxa"}, {"*a**b*", "ca/b"}, {"a*/**b", "a/x/b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 30 || len(text) > 60 || strings.Contains(pattern+text, "\n") || !ascii(pattern+text) {
			return
		}
		quoted := regexp.QuoteMeta(pattern)
		quoted = strings.ReplaceAll(quoted, `\*\*`, `.*`)
		quoted = strings.ReplaceAll(quoted, `\*`, `[^/]*`)
		if got, want := matchPath(pattern, text), regexp.MustCompile(`^`+quoted+`$`).MatchString(text); got != want {
			t.Errorf("%q on %q: got %v, want %v", pattern, text, got, want)
		}
		anything := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
		if got, want := matchText(pattern, text), regexp.MustCompile(`^`+anything+`$`).MatchString(text); got != want {
			t.Errorf("%q on the text %q: got %v, want %v", pattern, text, got, want)
		}
	})
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c > '~' || c < ' ' }) < 0
}
