package fieldmask

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestMask(t *testing.T) {
	t.Parallel()
	answer := map[string]any{
		"kind": "k", "items": []any{map[string]any{"id": 1, "start": map[string]any{"date": "d", "timeZone": "z"}}},
	}
	for fields, want := range map[string]string{
		"kind": `{"kind":"k"}`, "items/id": `{"items":[{"id":1}]}`,
		"items(id,start/date)": `{"items":[{"id":1,"start":{"date":"d"}}]}`,
		"*":                    `{"items":[{"id":1,"start":{"date":"d","timeZone":"z"}}],"kind":"k"}`, "nothing": `{}`,
		"items(start(timeZone)),kind": `{"items":[{"start":{"timeZone":"z"}}],"kind":"k"}`,
		"items":                       `{"items":[{"id":1,"start":{"date":"d","timeZone":"z"}}]}`,
	} {
		m, err := Parse(fields)
		if err != nil {
			t.Errorf("%s: %v", fields, err)
			continue
		}
		kept, err := m.Of(answer)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(kept); string(got) != want {
			t.Errorf("%s: got %s, want %s", fields, got, want)
		}
	}
	for _, bad := range []string{",", "a,", "a(b", "a)b", "a//b", "(a)", "a(b))"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q: accepted", bad)
		}
	}
}

func FuzzMask(f *testing.F) {
	fuzztest.Strings(f, "kind,items(id,start/dateTime)")
	f.Fuzz(func(_ *testing.T, fields string) {
		if m, err := Parse(fields); err == nil {
			m.keep(map[string]any{"items": []any{map[string]any{"id": 1}}})
		}
	})
}
