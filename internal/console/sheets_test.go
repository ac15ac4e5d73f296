package console_test

import (
	"html/template"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// TestSheets: a service's page stands in the house's frame, with the visitor's
// name, and what is for members sends strangers to sign in and back.
func TestSheets(t *testing.T) {
	t.Parallel()
	closed := false
	h := &testServer{t: t, from: "127.0.0.1:1", Server: identitytest.SQLite(t, func(w *world.World, idents *identity.Identity) module.Module {
		c := console.New(w, idents, console.DefaultConfig(), nil)
		idents.ProvidePages(c.Pages())
		show := func(w http.ResponseWriter, r *route.Request) error {
			page, err := idents.Show(func(_ *route.Request, u *identity.User) (identity.Page, error) {
				if u == nil && closed {
					return identity.Page{}, identity.ErrSignIn
				}
				return identity.Page{Title: "A <page>", Main: template.HTML("<p>said</p>"), Pictures: true, Listed: true}, nil
			})
			if err != nil {
				return err
			}
			return page(w, r)
		}
		pages := route.New(route.Options{
			Service: "x", WriteError: func(w http.ResponseWriter, _ *route.Request, _ error) { w.WriteHeader(http.StatusTeapot) },
			Clock: w.Clock, IDs: w.IDs, Memory: w.Memory, Requests: w.Requests, Telemetry: w.Telemetry,
		}, []route.Route{{Method: "GET", Pattern: "/page", Name: "page", Handle: show}})
		m := c.Module()
		m.Handler = c.Beside(pages)
		return m
	})}
	w := h.send("GET", "/page", nil)
	body, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if w.Code != http.StatusOK || !strings.Contains(body, "<p>said</p>") || !strings.Contains(body, "A &lt;page&gt;") || !strings.Contains(body, "/console/sign-in?next=%2fpage") {
		t.Errorf("%d %s", w.Code, body)
	}
	if strings.Contains(body, "noindex") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "img-src 'self' https: http: data:") {
		t.Errorf("policy %q, page %s", policy, body)
	}
	closed = true
	if w := h.send("GET", "/page", nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/sign-in?next=%2Fpage" {
		t.Errorf("a stranger: %d %v", w.Code, w.Header())
	}
}
