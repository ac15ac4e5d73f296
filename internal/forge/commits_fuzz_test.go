package forge

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func record(parts ...string) []byte { return []byte(strings.Join(parts, "\x1f")) }

// Commits of others hold any bytes; what is read of them can be answered as JSON.
func FuzzCommits(f *testing.F) {
	fuzztest.Bytes(f,
		record("sha", "tree", "p1 p2", "Ada", "ada@x", "1", "Bob", "bob@x", "2", "message\n\n"),
		record("sha", "tree", "", "\xff", "", "-9223372036854775809", "", "", "99999999999999", "a\x1fb"),
		[]byte("\x1f\x1f"), []byte{},
	)
	f.Fuzz(func(t *testing.T, record []byte) {
		for _, c := range parseCommits([][]byte{record, record}) {
			if !utf8.ValidString(c.Message) || !utf8.ValidString(c.Author.Name) {
				t.Errorf("%q: got %+v", record, c)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%q: %v", record, err)
			}
		}
	})
}

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

func TestRecords(t *testing.T) {
	t.Parallel()
	text := []byte("a\x00" + strings.Repeat("x", maxRecord+100) + "\x00b\x00open")
	var r records
	for _, part := range [][]byte{text[:1], text[1:50], text[50:5000], text[5000:]} {
		if n, err := r.Write(part); n != len(part) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(part), err)
		}
	}
	if len(r.ended) != 3 || string(r.ended[0]) != "a" || len(r.ended[1]) != maxRecord ||
		string(r.ended[2]) != "b" || string(r.open) != "open" {
		t.Errorf("got %d records, the second of %d bytes, then %q", len(r.ended), len(r.ended[1]), r.open)
	}
}

// File names are anybody's bytes; whatever git prints about a difference, the changes
// can be answered as JSON, and are no more than are shown.
func FuzzDiff(f *testing.F) {
	raw := ":100644 100644 " + Zero + " " + Zero
	fuzztest.Strings(f,
		raw+" M\x00a\x001\t2\ta\x00", raw+" R100\x00a\x00b\x000\t0\t\x00a\x00b\x00", raw+" D\x00a\x00-\t-\ta\x00",
		raw+" A\x00", raw+" R1\x00a\x00", ":\x00\x00", "1\t2\x00", "\xff", ":a b c d \x00x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		list := parseDiff(strings.ToValidUTF8(text, "\uFFFD"))
		addPatches(list, text)
		if len(list) > MaxDiffFiles {
			t.Errorf("%q: %d changes", text, len(list))
		}
		for _, c := range list {
			if c.Path == "" || c.Status == "" {
				t.Errorf("%q: got %+v", text, c)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%q: %v", text, err)
			}
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
