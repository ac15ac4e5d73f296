package recording_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/recording"
)

func draft(t *testing.T) (*journal.Draft, *journal.Journal) {
	t.Helper()
	j := journal.New(journal.Options{MaxBody: 4})
	j.SetMode(journal.Full)
	return j.Begin(t.Context()), j
}

func TestRest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text string
		read int64
		gone bool
		want string
		cut  bool
	}{
		"unread":    {"abc", 0, false, "abc", false},
		"half":      {"abc", 1, false, "abc", false},
		"read":      {"abc", 3, false, "abc", false},
		"too large": {"abcdefghi", 0, false, "", true},
		"gone":      {"abc", 0, true, "", true},
		"none":      {"", 0, false, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := draft(t)
			r := httptest.NewRequest("POST", "/", strings.NewReader(row.text))
			recording.Watch(r, d)
			if _, err := io.CopyN(io.Discard, r.Body, row.read); err != nil {
				t.Fatal(err)
			}
			recording.Rest(r, d, row.read, 8, row.gone)
			got := d.Finish(&journal.Entry{})
			if got.RequestBody() != row.want || got.RequestCut != row.cut {
				t.Errorf("%q %v, want %q %v", got.RequestBody(), got.RequestCut, row.want, row.cut)
			}
		})
	}
}

func TestCopyN(t *testing.T) {
	t.Parallel()
	d, _ := draft(t)
	var to bytes.Buffer
	from := strings.NewReader("abcdefgh")
	for range 2 {
		if n, err := recording.CopyN(&to, from, 4, d); n != 4 || err != nil {
			t.Fatalf("copied %d, %v", n, err)
		}
	}
	r := d.Finish(&journal.Entry{})
	if to.String() != "abcdefgh" || r.ResponseBody() != "abcd" || !r.ResponseCut {
		t.Errorf("sent %q, kept %q, cut %v", to.String(), r.ResponseBody(), r.ResponseCut)
	}
}
