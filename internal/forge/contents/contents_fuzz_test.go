package contents

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A revision that passes cannot be an option, a range or two arguments.
func FuzzRevision(f *testing.F) {
	fuzztest.Strings(f,
		"main", "refs/heads/a", "-x", "a..b", "a^{tree}", "@{1}", "a b", "a:b", "", strings.Repeat("a", 300), "é", "\x00")
	f.Fuzz(func(t *testing.T, revision string) {
		unsafe := strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, " \n\x00:^~{") || len(revision) > 250
		if err := CheckRevision(revision); err == nil && unsafe {
			t.Errorf("%q is accepted", revision)
		} else if err != nil && !errors.Is(err, refusal.ErrNotFound) {
			t.Errorf("%q: got %v, want ErrNotFound", revision, err)
		}
	})
}

// FuzzEntries reads lists of folders that were cut off anywhere.
func FuzzEntries(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("100644 blob abc      12\ta/b\x00040000 tree abc       -\tl\x00"), []byte("100644 blob abc 1\ta"),
		[]byte("x\ty\x00"), []byte{}, []byte("\x00"))
	f.Fuzz(func(t *testing.T, list []byte) {
		whole := parseEntries(list, true)
		cut := parseEntries(list, false)
		if len(cut) > len(whole) {
			t.Errorf("%q: %d entries of a list that was cut off, %d of the whole", list, len(cut), len(whole))
		}
		for _, e := range whole {
			if !utf8.ValidString(e.Path) || e.Type == "" {
				t.Errorf("%q: got %+v", list, e)
			}
		}
	})
}
