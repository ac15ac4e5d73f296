package gitoutput

import (
	"encoding/json"
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
		var out Commits
		for range 2 {
			if _, err := out.Write(append(record, 0)); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range out.List() {
			if !utf8.ValidString(c.Message) || !utf8.ValidString(c.Author.Name) {
				t.Errorf("%q: got %+v", record, c)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%q: %v", record, err)
			}
		}
	})
}

func TestRecords(t *testing.T) {
	t.Parallel()
	text := []byte("a\x00" + strings.Repeat("x", MaxRecord+100) + "\x00b\x00open")
	var r Commits
	for _, part := range [][]byte{text[:1], text[1:50], text[50:5000], text[5000:]} {
		if n, err := r.Write(part); n != len(part) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(part), err)
		}
	}
	if len(r.ended) != 3 || string(r.ended[0]) != "a" || len(r.ended[1]) != MaxRecord ||
		string(r.ended[2]) != "b" || string(r.open) != "open" {
		t.Errorf("got %d records, the second of %d bytes, then %q", len(r.ended), len(r.ended[1]), r.open)
	}
}

// File names are anybody's bytes; whatever git prints about a difference, the changes
// can be answered as JSON, and are no more than are shown.
func FuzzDiff(f *testing.F) {
	const zero = "0000000000000000000000000000000000000000"
	raw := ":100644 100644 " + zero + " " + zero
	fuzztest.Strings(f,
		raw+" M\x00a\x001\t2\ta\x00", raw+" R100\x00a\x00b\x000\t0\t\x00a\x00b\x00", raw+" D\x00a\x00-\t-\ta\x00",
		raw+" A\x00", raw+" R1\x00a\x00", ":\x00\x00", "1\t2\x00", "\xff", ":a b c d \x00x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		list := Changes(strings.ToValidUTF8(text, "\uFFFD"))
		AddPatches(list, text, len(text)%2 == 0)
		if len(list) > MaxFiles {
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
