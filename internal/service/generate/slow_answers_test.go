package generate_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
)

// TestSlowAnswer cuts an answer off that its client would not wait for, where another model was asked
// for than answers. The model's server says one word and nothing more, or nothing at all.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	// A machine under load may take longer than the bound for the first word: it is asked again with a larger one.
	var got any
	status := http.StatusGatewayTimeout
	for bound := time.Second; status == http.StatusGatewayTimeout && bound < 2*time.Minute; bound *= 4 {
		status, got = askSlow(t, "stall midway", bound)
	}
	text, _ := dig(got, "candidates", 0, "content", "parts", 0, "text").(string)
	note, _ := dig(got, "modelStatus", "message").(string)
	if status != http.StatusOK || text != "one" || dig(got, "candidates", 0, "finishReason") != "MAX_TOKENS" ||
		!strings.Contains(note, "did not end within ") {
		t.Errorf("answer: %d %v", status, got)
	}
	status, got = askSlow(t, "stall", 100*time.Millisecond)
	said, _ := dig(got, "error", "message").(string)
	if status != http.StatusGatewayTimeout || dig(got, "error", "status") != "DEADLINE_EXCEEDED" ||
		!strings.Contains(said, "said nothing within 100ms") {
		t.Errorf("silence: %d %v", status, got)
	}
}

// askSlow asks a service whose unstreamed answers may take as long as bound.
func askSlow(t *testing.T, text string, bound time.Duration) (int, any) {
	t.Helper()
	server := httptest.NewServer(&stub{t: t, gone: make(chan struct{})})
	t.Cleanup(server.Close)
	config := generate.DefaultConfig()
	config.Upstreams = []upstream.Config{{
		Name: "lab", URLs: []string{server.URL + "/v1"}, Key: "sesame", Idle: time.Minute, FirstByte: time.Minute,
	}}
	config.Models = []api.Model{{
		ID: "big", Backend: "upstream", Upstream: "lab", InputTokenLimit: 100_000, OutputTokenLimit: 1000,
	}}
	h := identitytest.SQLite(t, func(w *world.World, i *identity.Identity) module.Module {
		s := generate.New(w, i, config, func(string) string { return "" })
		s.LimitWhole(bound)
		return s.Module()
	})
	w := newClient(t, h, "ada").call("POST", family+"generateContent", prompt(text, ""))
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("body: %v: %s", err, w.Body)
	}
	return w.Code, got
}
