package fromrecording_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab/expect/fromrecording"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text string
		want []fromrecording.Expected
		err  string
	}{
		"the same requests are counted, what a service chose is not compared": {
			text: `{"log":{"entries":[
				{"request":{"method":"GET","url":"https://api.example/lists/a1b2c3d4e5/tasks?page=2"},"response":{"status":200}},
				{"request":{"method":"GET","url":"https://api.example/lists/ffee0011aa/tasks"},"response":{"status":200}},
				{"request":{"method":"POST","url":"https://api.example/lists",
					"postData":{"mimeType":"application/json","text":"{\"title\":\"milk\",\"of\":[\"0123456789\"]}"}},
				 "response":{"status":200}}]}}`,
			want: []fromrecording.Expected{
				{Method: "GET", Path: "/lists/*/tasks", Status: 200, Count: 2},
				{Method: "POST", Path: "/lists", Status: 200, Count: 1, Body: map[string]any{"/title": "milk"}},
			},
		},
		"stubs": {
			text: `{"mappings":[
				{"request":{"method":"GET","urlPathTemplate":"/lists/{id}"},"response":{"status":404}},
				{"request":{"method":"ANY","url":"/lists?x=1","bodyPatterns":[{"equalToJson":"{\"title\":\"milk\"}"}]},"response":{}}]}`,
			want: []fromrecording.Expected{
				{Method: "GET", Path: "/lists/*", Status: 404},
				{Path: "/lists", Body: map[string]any{"/title": "milk"}},
			},
		},
		"one stub": {
			text: `{"request":{"method":"PUT","urlPath":"/x"},"response":{"status":204}}`,
			want: []fromrecording.Expected{{Method: "PUT", Path: "/x", Status: 204}},
		},
		"a regular expression": {
			text: `{"request":{"urlPathPattern":"/x/.*"},"response":{}}`, err: "mapping 1: an address given as a regular expression",
		},
		"another file": {text: `{"a":1}`, err: "neither an archive"},
		"not JSON":     {text: `GET /`, err: "not JSON"},
		"no requests":  {text: `{"log":{"entries":[]}}`, err: "no requests"},
		"no stubs":     {text: `{"mappings":[]}`, err: "no requests"},
		"a body that is not JSON": {
			text: `{"log":{"entries":[{"request":{"method":"POST","url":"/","postData":{"mimeType":"text/json","text":"{"}}}]}}`,
			err:  "entry 1: the body is not JSON",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := fromrecording.Read([]byte(row.text))
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("got %v, want %q", err, row.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, row.want)
			}
		})
	}
}

// TestLargeRecording: the work grows with the number of requests and no faster.
func TestLargeRecording(t *testing.T) {
	count := func(requests int) float64 {
		var entries []string
		for i := range requests {
			entries = append(entries, fmt.Sprintf(`{"request":{"method":"GET","url":"https://api.example/%d"}}`, i))
		}
		text := []byte(`{"log":{"entries":[` + strings.Join(entries, ",") + `]}}`)
		return testing.AllocsPerRun(1, func() {
			if list, err := fromrecording.Read(text); err != nil || len(list) != requests {
				t.Fatalf("%d of %d requests, %v", len(list), requests, err)
			}
		})
	}
	if one, four := count(100), count(400); four > 6*one {
		t.Errorf("100 requests take %.0f allocations and 400 take %.0f", one, four)
	}
}
