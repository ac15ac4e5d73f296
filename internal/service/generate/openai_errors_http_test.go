package generate

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
)

// TestOpenAIEnvelope answers every common error in the form's own envelope.
func TestOpenAIEnvelope(t *testing.T) {
	t.Parallel()
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig(), func(string) string { return "" })
	for _, c := range routetest.CommonErrors() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/v1/chat/completions", nil)
		s.writeOpenAIError(w, &route.Request{Request: r, ID: "r"}, c.Err)
		var body struct {
			Error map[string]any `json:"error"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v in %s", c.Name, err, w.Body)
		}
		for _, member := range []string{"message", "type", "param", "code"} {
			if _, ok := body.Error[member]; !ok || len(body.Error) != 4 {
				t.Errorf("%s: %s, want %s and no other members than four", c.Name, w.Body, member)
			}
		}
		if want := strings.HasPrefix(c.Name, "credential") || c.Name == "no credential"; want != (w.Code == 401) {
			t.Errorf("%s: status %d", c.Name, w.Code)
		}
	}
}
