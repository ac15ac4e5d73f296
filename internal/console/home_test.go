package console_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// openHome is a console over two services, one of which is unhealthy.
func openHome(t *testing.T) (*testServer, *journal.Journal) {
	t.Helper()
	kept := journal.New(journal.Options{})
	kept.SetMode(journal.Brief)
	sealed := func(context.Context) error { return errors.New("the vault is sealed") }
	h := &testServer{t: t, from: "127.0.0.1:1"}
	h.Server = identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Journal = kept
		return console.New(w, identity, grants.New(w, identity), console.DefaultConfig(), []module.Module{
			{Name: "labels", Title: "Label limits", Letter: "D", Prefixes: []string{"/v2/limits"}},
			{Name: "kms", Title: "Key management", Letter: "A", Check: sealed},
		}).Module()
	})
	h.User("ada")
	return h, kept
}

func TestFrontPage(t *testing.T) {
	t.Parallel()
	h, kept := openHome(t)
	kept.Begin(t.Context()).Finish(&journal.Entry{
		Service: "labels", Method: "GET", Path: "/v2/limits/<label>", Status: 403, Reason: "scope missing",
	})
	kept.Begin(t.Context()).Finish(&journal.Entry{
		Service: "console", Method: "GET", Path: "/console/somewhere", Status: 200,
	})

	t.Run("an anonymous caller sees services and nothing else", func(t *testing.T) {
		h.cookie = ""
		w := h.send("GET", "/console", nil)
		want(t, w.Body.String(), "Label limits", "/v2/limits", "/docs/services/labels", "1 unhealthy", "Healthy",
			"Sign in", "Administrators see the recent requests here", "/console</code>, with the reason")
		wantNot(t, w.Body.String(), "the vault is sealed", "scope missing", "<script")
	})
	t.Run("a user sees why a service is unhealthy", func(t *testing.T) {
		h.signIn("ada")
		w := h.send("GET", "/console", nil)
		want(t, w.Body.String(), "the vault is sealed", "Sign out")
		wantNot(t, w.Body.String(), "scope missing", "/console/requests")
		if w := h.send("GET", "/console/requests", nil); w.Code != http.StatusNotFound ||
			!strings.Contains(w.Body.String(), "or it is one for administrators") {
			t.Errorf("the list for a user who is not an administrator: %d, want 404", w.Code)
		}
	})
	t.Run("an administrator sees the recent requests", func(t *testing.T) {
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
		want(t, w.Body.String(), "scope missing", "/v2/limits/&lt;label&gt;", `href="/console/requests/1"`, "<script src=\"/console/console.js")
		wantNot(t, w.Body.String(), "/console/somewhere")
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "script-src 'self'; connect-src 'self'") {
			t.Errorf("policy = %q", policy)
		}
		want(t, h.send("GET", "/console/requests", nil).Body.String(), "scope missing")
		want(t, h.send("GET", "/console/requests/1", nil).Body.String(), "scope missing")
		gone := h.send("GET", "/console/requests/999", nil)
		want(t, gone.Body.String(), "no longer kept", `href="/console/requests"`)
		if gone.Code != http.StatusNotFound {
			t.Errorf("a request that is gone: %d", gone.Code)
		}
	})
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
