package har_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab/har"
	"stoa.dev/stoa/internal/platform/journal"
)

func TestOf(t *testing.T) {
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
	text, err := json.Marshal(har.Of(j.OldestFirst(), "http://host", "v1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"version":"1.2"`, `"creator":{"name":"stoa","version":"v1"}`, `"startedDateTime":"2026-03-01T09:00:00Z"`,
		`"time":1.5`, `"url":"http://host/things?key=***\u0026n=1"`,
		`{"name":"Accept","value":"a"},{"name":"Accept","value":"b"}`,
		`"text":"/w==","_encoding":"base64"`, `"text":"{\"a\":1}"`, `"redirectURL":"/there"`, `"statusText":"See Other"`,
		`"_operation":"things.put"`, `"_caused":[{"kind":"job","id":"1"}]`, `"cache":{}`, `"cookies":[]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
