package errortext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/jobs/errortext"
)

func TestStorable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb", "": "",
	} {
		if got := errortext.Storable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	long := errortext.Storable(strings.Repeat("é", 3000))
	if len(long) > 2000 || len(long) < 1990 || !utf8.ValidString(long) {
		t.Errorf("a long text has %d bytes, valid %v", len(long), utf8.ValidString(long))
	}
}
