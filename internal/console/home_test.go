package console_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/world"
)

// front is a console over two services, one of which cannot work.
func front(t *testing.T) (*testServer, *telemetry.Telemetry) {
	t.Helper()
	var told *telemetry.Telemetry
	h := &testServer{t: t, from: "127.0.0.1:1"}
	h.Server = identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		told = w.Telemetry
		return console.New(w, identity, console.DefaultConfig(), []module.Module{
			{Name: "labels", Title: "Label limits", Letter: "D", Prefixes: []string{"/v2/limits"}},
			{Name: "kms", Title: "Key management", Letter: "A", Check: func(context.Context) error { return errors.New("the vault is sealed") }},
		}).Module()
	})
	h.User("ada")
	return h, told
}

func TestFrontPage(t *testing.T) {
	t.Parallel()
	h, told := front(t)
	told.Record(t.Context(), &telemetry.Entry{Service: "labels", Method: "GET", Path: "/v2/limits/<label>", Status: 403, Reason: "scope missing"}, "")
	told.Record(t.Context(), &telemetry.Entry{Service: "console", Method: "GET", Path: "/console/somewhere", Status: 200}, "")

	t.Run("a stranger sees services and nothing else", func(t *testing.T) {
		h.cookie = ""
		w := h.send("GET", "/console", nil)
		want(t, w.Body.String(), "Label limits", "/v2/limits", "/docs/services/labels", "1 of them cannot work", "Sign in", "The last requests", "/console</code>, for an administrator")
		wantNot(t, w.Body.String(), "the vault is sealed", "scope missing", "<script")
	})
	t.Run("a person sees why a service is in trouble", func(t *testing.T) {
		h.signIn("ada")
		w := h.send("GET", "/console", nil)
		want(t, w.Body.String(), "the vault is sealed", "Sign out")
		wantNot(t, w.Body.String(), "scope missing", "<script")
		if w := h.send("GET", "/console/requests", nil); w.Code != http.StatusNotFound {
			t.Errorf("the list for somebody who is no administrator: %d, want 404", w.Code)
		}
	})
	t.Run("an administrator sees the last requests", func(t *testing.T) {
		admin := true
		ada, err := h.Identity.UserByName(t.Context(), "ada")
		if err == nil {
			_, err = h.Identity.UpdateUser(t.Context(), ada.ID, identity.UserChange{Admin: &admin})
		}
		if err != nil {
			t.Fatal(err)
		}
		h.signIn("ada")
		w := h.send("GET", "/console", nil)
		want(t, w.Body.String(), "scope missing", "/v2/limits/&lt;label&gt;", "<script src=\"/console/live.js")
		wantNot(t, w.Body.String(), "/console/somewhere")
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'; connect-src 'self'") {
			t.Errorf("policy = %q", policy)
		}
		want(t, h.send("GET", "/console/requests", nil).Body.String(), "scope missing")
	})
	for _, e := range told.Recent() {
		if e.Path == "/console/requests" {
			t.Error("the list of requests lists the requests for itself")
		}
	}
}

func want(t *testing.T, body string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(body, word) {
			t.Errorf("the page lacks %q:\n%s", word, body)
		}
	}
}

func wantNot(t *testing.T, body string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(body, word) {
			t.Errorf("the page holds %q", word)
		}
	}
}
