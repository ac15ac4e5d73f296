package wildcard_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal/wildcard"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, text string
		want          bool
	}{
		{"/a/b", "/a/b", true},
		{"/a/b", "/a/bc", false},
		{"/a/*", "/a/b", true},
		{"/a/*", "/a/b/c", false},
		{"/a/*/c", "/a/b/c", true},
		{"/a/*x*/c", "/a/bxb/c", true},
		{"/a/*x*/c", "/a/bb/c", false},
		{"/a/**", "/a/b/c", true},
		{"/a/**", "/a", false},
		{"**/c", "/a/b/c", true},
		{"/**/b/*", "/a/x/b/c", true},
		{"/**/b/*", "/a/x/b/c/d", false},
		{"/**/b/*/d", "/b/b/x/b/c/d", true},
		{"*", "", true},
		{"", "", true},
		{"", "x", false},
	} {
		if got := wildcard.Matches(row.pattern, row.text); got != row.want {
			t.Errorf("%s on %s: %v, want %v", row.pattern, row.text, got, row.want)
		}
	}
}

func FuzzMatches(f *testing.F) {
	f.Add("/a/*/**/b", "/a/x/y/b")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if strings.Contains(pattern, "*") {
			_ = wildcard.Matches(pattern, text) // ends
			return
		}
		if got := wildcard.Matches(pattern, text); got != (pattern == text) {
			t.Errorf("%q on %q: %v", pattern, text, got)
		}
	})
}
