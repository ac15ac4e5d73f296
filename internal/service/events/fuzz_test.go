package events_test

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/events"
)

// FuzzPayload: what is accepted is a JSON object, and nothing panics.
func FuzzPayload(f *testing.F) {
	for _, kind := range events.Types() {
		fuzztest.Add(f, string(kind), []byte(`{"action":"created"}`))
	}
	fuzztest.Add(f, "GollumEvent", []byte(`{"pages":[{"page_name":1}]}`))
	fuzztest.Add(f, "IssuesEvent", []byte(`{"action":"opened","issue":null}`))
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		if events.CheckPayload(events.Type(kind), payload) != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(payload, &object); err != nil || object == nil {
			t.Errorf("%s accepts %q: %v", kind, payload, err)
		}
	})
}
