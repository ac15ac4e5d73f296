package har_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab/har"
	"stoa.dev/stoa/internal/platform/journal"
)

// write is the text of an archive of a journal.
func write(t *testing.T, to io.Writer, j *journal.Journal) {
	t.Helper()
	empty, err := json.Marshal(har.New("v1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := har.Write(to, empty, j.OldestFirst(), "http://host"); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	d := j.Begin(t.Context())
	d.AddRequest([]byte("\xff"))
	d.AddResponse([]byte(`{"a":1}`))
	d.AddCause("job", "1")
	d.Finish(&journal.Entry{
		At: time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC), Duration: 1500 * time.Microsecond, Service: "things",
		Operation: "things.put", Method: "PUT", Path: "/things", Query: "key=abc&n=1", Status: 303, Caller: "user ada",
		RequestHeader:  map[string][]string{"Accept": {"a", "b"}},
		ResponseHeader: map[string][]string{"Location": {"/there"}, "Content-Type": {"application/json"}},
	})
	var text strings.Builder
	write(t, &text, j)
	var read har.Archive
	if err := json.Unmarshal([]byte(text.String()), &read); err != nil || len(read.Log.Entries) != 1 {
		t.Errorf("%d entries, %v: %s", len(read.Log.Entries), err, text.String())
	}
	for _, want := range []string{
		`"version":"1.2"`, `"creator":{"name":"stoa","version":"v1"}`, `"startedDateTime":"2026-03-01T09:00:00Z"`,
		`"time":1.5`, `"url":"http://host/things?key=***&n=1"`,
		`{"name":"Accept","value":"a"},{"name":"Accept","value":"b"}`,
		`"text":"/w==","_encoding":"base64"`, `"text":"{\"a\":1}"`, `"redirectURL":"/there"`, `"statusText":"See Other"`,
		`"_operation":"things.put"`, `"_caused":[{"kind":"job","id":"1"}]`, `"cache":{}`, `"cookies":[]`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in %s", want, text.String())
		}
	}
}

// pieces is a writer that remembers how much it was given, and the longest piece.
type pieces struct{ whole, longest int }

func (p *pieces) Write(b []byte) (int, error) {
	p.whole, p.longest = p.whole+len(b), max(p.longest, len(b))
	return len(b), nil
}

// TestWriteInPieces: an archive is never whole in memory, and has every record.
func TestWriteInPieces(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	var none strings.Builder
	write(t, &none, j)
	if want := `{"log":{"version":"1.2","creator":{"name":"stoa","version":"v1"},"entries":[]}}`; none.String() != want {
		t.Errorf("of nothing: %s, want %s", none.String(), want)
	}
	for range 200 {
		d := j.Begin(t.Context())
		d.AddResponse([]byte(strings.Repeat("x", 60_000)))
		d.Finish(&journal.Entry{Service: "things", Method: "GET", Path: "/things", Status: 200})
	}
	var p pieces
	write(t, &p, j)
	if p.whole < 200*60_000 || p.longest > 256<<10 {
		t.Errorf("wrote %d bytes, %d at once", p.whole, p.longest)
	}
	var text strings.Builder
	write(t, &text, j)
	var read har.Archive
	if err := json.Unmarshal([]byte(text.String()), &read); err != nil || len(read.Log.Entries) != 200 {
		t.Errorf("%d entries: %v", len(read.Log.Entries), err)
	}
}
