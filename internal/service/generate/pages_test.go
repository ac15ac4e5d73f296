package generate_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/generate"
)

// TestStoredRequestsPage shows each user their own, and markup as text.
func TestStoredRequestsPage(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(generate.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		other := newClient(t, h, "eve")
		// The faces of the console, reduced to what the pages need of them.
		var looking string
		h.Identity.ProvidePages(identity.Pages{
			Message: func(m identity.Message) route.Handler {
				return func(w http.ResponseWriter, _ *route.Request) error { w.WriteHeader(m.Status); return nil }
			},
			Page: func(make identity.PageFunc) route.Handler {
				return func(w http.ResponseWriter, r *route.Request) error {
					var who *identity.User
					if looking != "" {
						u, err := h.Identity.UserByName(r.Context(), looking)
						if err != nil {
							return err
						}
						who = &u
					}
					sheet, err := make(r, who)
					if errors.Is(err, identity.ErrSignIn) {
						w.WriteHeader(http.StatusSeeOther)
						return nil
					}
					if err != nil {
						return err
					}
					_, err = w.Write([]byte(sheet.HTML))
					return err
				}
			},
		})
		c.want(200, "POST", script+"generateContent", prompt("say <b>bold</b>", `,"store":true`))
		c.want(200, "POST", script+"generateContent", prompt("say not kept", `,"store":false`))
		other.want(200, "POST", script+"generateContent", prompt("say of another", `,"store":true`))
		for _, row := range []struct {
			who, path string
			status    int
			has, not  string
		}{
			{"", "/generate/requests", 303, "", ""},
			{"ada", "/generate/requests", 200, "say &lt;b&gt;bold", "of another"},
			{"ada", "/generate/requests", 200, "stoa-script", "not kept"},
			{"ada", "/generate/requests/1", 200, "say \\u003cb\\u003ebold", ""},
			{"ada", "/generate/requests/2", 404, "", ""},
			{"eve", "/generate/requests/1", 404, "", ""},
			{"eve", "/generate/requests?before=1", 200, "Nothing is stored", "of another"},
			{"eve", "/generate/requests?before=x", 404, "", ""},
			{"eve", "/generate/requests/9223372036854775807", 404, "", ""},
			{"eve", "/generate/else", 404, "", ""},
		} {
			looking = row.who
			w := h.Call("GET", row.path, "")
			if body := w.Body.String(); w.Code != row.status || !strings.Contains(body, row.has) ||
				row.not != "" && strings.Contains(body, row.not) {
				t.Errorf("%s at %s: %d %s, want %d with %q without %q", row.who, row.path, w.Code, body, row.status, row.has,
					row.not)
			}
		}
		if w := h.Call("POST", "/generate/requests", ""); w.Code != 405 || w.Header().Get("Allow") == "" {
			t.Errorf("POST to a page: %d, Allow %q; want 405", w.Code, w.Header().Get("Allow"))
		}
	})
}
