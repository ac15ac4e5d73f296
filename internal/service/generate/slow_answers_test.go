package generate_test

import (
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
// for than answers. The model's server says one word and nothing more.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
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
		s.LimitWhole(time.Second)
		return s.Module()
	})
	c := newClient(t, h, "ada")
	got := c.want(200, "POST", family+"generateContent", prompt("stall midway", ""))
	text, _ := dig(got, "candidates", 0, "content", "parts", 0, "text").(string)
	note, _ := dig(got, "modelStatus", "message").(string)
	if text != "one" || dig(got, "candidates", 0, "finishReason") != "MAX_TOKENS" ||
		!strings.Contains(note, "did not end within 1s") {
		t.Errorf("answer: %v", got)
	}
}
