package events_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events"
)

// TestLongPayloads: a feed ends where its payloads are long, and shows the newest of them. A received feed would be
// merged from a hundred such feeds.
func TestLongPayloads(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		const most = 6 << 20
		token := h.Token("mel")
		payload := json.RawMessage(`{"action":"started","more":"` + strings.Repeat("x", 400<<10) + `"}`)
		add := func(r forge.Repository, count int) string {
			t.Helper()
			e, err := h.service.AddMany(t.Context(), r, events.TypeWatch, h.actor("ada"), payload, count)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(e.ID)
		}
		var repos []forge.Repository
		for n := range 3 {
			r := h.repo(t, "ada", fmt.Sprint("long", n), false)
			if err := h.forge.Star(t.Context(), r.ID, h.actor("mel")); err != nil {
				t.Fatal(err)
			}
			add(r, 40)
			repos = append(repos, r)
		}
		for n := range 3 {
			last := add(repos[2], 1)
			for _, path := range []string{
				"/events", "/repos/ada/long2/events", "/users/ada/events", "/users/mel/received_events",
			} {
				for range 2 {
					w := h.get(path+"?per_page=100", token)
					if w.Code != http.StatusOK || w.Body.Len() > most+1<<20 {
						t.Fatalf("%s: %d with %d kB", path, w.Code, w.Body.Len()>>10)
					}
					if ids := idsOf(t, w); len(ids) < 10 || ids[0] != last {
						t.Errorf("%s after %d more: %d events, the first is %s, want %s", path, n, len(ids), ids[0], last)
					}
				}
			}
		}
	})
}
