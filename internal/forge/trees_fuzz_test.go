package forge

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A list of files is refused in the words of the forge, and only for its size.
func FuzzTreeList(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("100644 blob abc      12\ta/b\x00120000 blob abc       3\tl\x00160000 commit abc       -\tm\x00"),
		[]byte("100644 blob abc 9223372036854775807\ta\x00100644 blob abc 9223372036854775807\tb\x00"),
		[]byte("100644 blob abc -5\ta\x00"), []byte("x"), []byte("\x00\x00"), bytes.Repeat([]byte("a/"), 2000),
	)
	f.Fuzz(func(t *testing.T, list []byte) {
		err := addEntries(bytes.NewReader(list), 1<<20, 1<<20)
		var own *Error
		if err != nil && !errors.As(err, &own) && len(list) > 0 && list[len(list)-1] == 0 {
			t.Errorf("%q: got %v", list, err)
		}
	})
}

// A revision that passes cannot be an option, a range or two arguments.
func FuzzRevision(f *testing.F) {
	fuzztest.Strings(f,
		"main", "refs/heads/a", "-x", "a..b", "a^{tree}", "@{1}", "a b", "a:b", "", strings.Repeat("a", 300), "é", "\x00")
	f.Fuzz(func(t *testing.T, revision string) {
		unsafe := strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, " \n\x00:^~{") || len(revision) > 250
		if err := checkRevision(revision); err == nil && unsafe {
			t.Errorf("%q is accepted", revision)
		} else if err != nil && !errors.Is(err, ErrNotFound) {
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
