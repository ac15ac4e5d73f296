package console_test

import (
	"html/template"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// TestServicePages: a service's page has the console's layout, and a page that is
// for users redirects anonymous callers to sign in and back.
func TestServicePages(t *testing.T) {
	t.Parallel()
	closed := false
	build := func(w *world.World, idents *identity.Identity) module.Module {
		c := console.New(w, idents, grants.New(w, idents), console.DefaultConfig(), nil)
		idents.ProvidePages(c.Pages())
		show := func(w http.ResponseWriter, r *route.Request) error {
			page, err := idents.ShowPage(func(_ *route.Request, u *identity.User) (identity.Page, error) {
				if u == nil && closed {
					return identity.Page{}, identity.ErrSignIn
				}
				return identity.Page{
					Title: "A <page>", HTML: template.HTML("<p>text</p>"), ExternalImages: true, Indexed: true,
				}, nil
			})
			if err != nil {
				return err
			}
			return page(w, r)
		}
		pages := route.New(route.Options{
			Service:    "x",
			WriteError: func(w http.ResponseWriter, _ *route.Request, _ error) { w.WriteHeader(http.StatusTeapot) },
			Clock:      w.Clock, IDs: w.IDs, Memory: w.Memory, Requests: w.Requests, Telemetry: w.Telemetry,
		}, []route.Route{{Method: "GET", Pattern: "/page", Name: "page", Handle: show}})
		m := c.Module()
		m.Handler = c.OnServiceHost(pages)
		return m
	}
	h := &testServer{t: t, from: "127.0.0.1:1", Server: identitytest.SQLite(t, build)}
	w := h.send("GET", "/page", nil)
	body, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, body)
	}
	want(t, body, "<p>text</p>", "A &lt;page&gt;", "/console/sign-in?next=%2fpage")
	if strings.Contains(body, "noindex") || !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "img-src 'self' https: http: data:") {
		t.Errorf("policy %q, page %s", policy, body)
	}
	closed = true
	w = h.send("GET", "/page", nil)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/sign-in?next=%2Fpage" {
		t.Errorf("an anonymous caller: %d %v", w.Code, w.Header())
	}
}
