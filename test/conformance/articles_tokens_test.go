package conformance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// TestArticleTokens proves F-02, F-20 to F-22, F-29 to F-36, F-38, F-64, F-67,
// F-68 and F-71.
func TestArticleTokens(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{Configure: manyAnonymous})
		h.User(t, "ada")
		h.User(t, "grace")
		h.Command(t, "team add", map[string][]string{"name": {"lyceum"}, "owner": {"ada"}})
		h.Command(t, "team add", map[string][]string{"name": {"closed"}, "owner": {"ada"}, "sso-only": {"true"}})
		id, secret := client(t, h, "web", map[string][]string{"redirect": {"https://reader.example/back"}})
		reader := reader{h: h, id: id, secret: secret}
		t.Run("codes", func(t *testing.T) { articleCodes(t, h, reader) })
		t.Run("scopes", func(t *testing.T) { articleScopes(t, h, reader) })
	})
}

// reader is an application of article readers.
type reader struct {
	h          *conformance.Server
	id, secret string
}

func (r reader) authorizePath(page, scope string) string {
	return "/api/v2/oauth/" + page + "?" + url.Values{"client_id": {r.id}, "scope": {scope}, "state": {"s t"}}.Encode()
}

// code signs in at the host, consents and returns the code.
func (r reader) code(t *testing.T, host, page, scope string) string {
	t.Helper()
	browser := r.h.SignedIn(t, "ada", host)
	got := browser.Decide(t, r.authorizePath(page, scope), "allow")
	if got.Get("state") != "s t" {
		t.Errorf("state: got %q", got.Get("state"))
	}
	return got.Get("code")
}

func (r reader) exchange(t *testing.T, host, noun, code string) *conformance.Answer {
	t.Helper()
	return r.h.Do(t, conformance.Call{
		Method: http.MethodPost, Path: "/api/v2/" + noun, Host: host,
		Body: fmt.Sprintf(`{"client_id":%q,"client_secret":%q,"code":%q}`, r.id, r.secret, code),
	})
}

// token is the whole way to an ordinary token.
func (r reader) token(t *testing.T, scope string) string {
	t.Helper()
	return conformance.Text(t,
		r.exchange(t, "", "access_tokens", r.code(t, "", "authorize", scope)).Want(t,
			http.StatusCreated).Object(t), "token")
}

func (r reader) teamToken(t *testing.T, team, scope string) string {
	t.Helper()
	code := r.code(t, team+".localhost", "team_authorize", scope)
	return conformance.Text(t,
		r.exchange(t, team+".localhost", "team_access_tokens", code).Want(t, http.StatusCreated).Object(t), "token")
}

func me(t *testing.T, h *conformance.Server, host, token string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{Path: "/api/v2/authenticated_user", Host: host, Bearer: token})
}

// articleRefused checks the envelope.
func articleRefused(t *testing.T, a *conformance.Answer, status int, kind string) {
	t.Helper()
	object := a.Want(t, status).Object(t)
	conformance.Only(t, object, "message", "type")
	if got := conformance.Text(t, object, "type"); got != kind || conformance.Text(t, object, "message") == "" {
		t.Errorf("type: got %q, want %q in %v", got, kind, a)
	}
}

func articleCodes(t *testing.T, h *conformance.Server, r reader) {
	forty := regexp.MustCompile(`^[0-9a-f]{40}$`)
	t.Run("F-02", func(t *testing.T) {
		code := r.code(t, "", "authorize", "read_svc")
		token := conformance.Text(t, r.exchange(t, "", "access_tokens", code).Want(t, http.StatusCreated).Object(t),
			"token")
		for name, value := range conformance.InOrder(map[string]string{
			"client_id": r.id, "client_secret": r.secret, "code": code,
			"token": token}) {
			if !forty.MatchString(value) {
				t.Errorf("%s: got %q, want 40 hexadecimal characters", name, value)
			}
		}
	})
	t.Run("F-20", func(t *testing.T) {
		for _, a := range []*conformance.Answer{
			r.exchange(t, "", "access_tokens", r.code(t, "", "authorize", "read_svc write_svc")),
			r.exchange(t, "lyceum.localhost", "team_access_tokens",
				r.code(t, "lyceum.localhost", "team_authorize", "read_svc_team write_svc_team")),
		} {
			object := a.Want(t, http.StatusCreated).Object(t)
			conformance.Only(t, object, "client_id", "scopes", "token")
			if scopes, ok := object["scopes"].([]any); !ok || len(scopes) != 2 ||
				conformance.Text(t, object, "client_id") != r.id {
				t.Errorf("token = %v", object)
			}
		}
	})
	t.Run("F-21", func(t *testing.T) {
		code := r.code(t, "", "authorize", "read_svc")
		r.exchange(t, "", "access_tokens", code).Want(t, http.StatusCreated)
		articleRefused(t, r.exchange(t, "", "access_tokens", code), http.StatusBadRequest, "bad_request")
	})
	t.Run("F-22", func(t *testing.T) {
		token := r.token(t, "read_svc")
		me(t, h, "", token).Want(t, http.StatusOK)
		h.Do(t, conformance.Call{Method: "DELETE", Path: "/api/v2/access_tokens/" + token, Bearer: token}).Want(t,
			http.StatusNoContent)
		articleRefused(t, me(t, h, "", token), http.StatusUnauthorized, "unauthorized")
	})
	t.Run("F-29", func(t *testing.T) {
		anonymous := h.Browser(t, "")
		browser := h.SignedIn(t, "ada", "")
		for who, b := range conformance.InOrder(map[string]*conformance.Browser{
			"anonymous": anonymous, "signed in": browser,
		}) {
			p := b.Get(t, r.authorizePath("authorize", "read_svc write_svc"))
			if p.Status != http.StatusOK || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
				t.Errorf("%s: %d %s", who, p.Status, p.Header.Get("Content-Type"))
			}
		}
		articleRefused(t, h.Do(t, conformance.Call{Path: "/api/v2/oauth/authorize?client_id=x&scope=read_svc"}),
			http.StatusBadRequest, "bad_request")
		articleRefused(t, h.Do(t, conformance.Call{Path: r.authorizePath("authorize", "nonsense")}),
			http.StatusBadRequest, "bad_request")
	})
	t.Run("F-30", func(t *testing.T) {
		browser := h.SignedIn(t, "ada", "")
		p := browser.Submit(t, browser.Get(t, r.authorizePath("authorize", "read_svc")),
			url.Values{"decision": {"allow"}})
		back, err := url.Parse(p.Location)
		if err != nil || back.Scheme+"://"+back.Host+back.Path != "https://reader.example/back" ||
			!forty.MatchString(back.Query().Get("code")) || back.Query().Get("state") != "s t" {
			t.Errorf("Location: got %q", p.Location)
		}
		without := "/api/v2/oauth/authorize?" + url.Values{"client_id": {r.id}, "scope": {"read_svc"}}.Encode()
		if got := browser.Decide(t, without, "allow"); got.Has("state") || !got.Has("code") {
			t.Errorf("query without state = %v", got)
		}
	})
	t.Run("F-31", func(t *testing.T) {
		// Deprecated, documented as such, and still served.
		r.token(t, "read_svc_team")
	})
	t.Run("F-32", func(t *testing.T) {
		browser := h.SignedIn(t, "ada", "lyceum.localhost")
		p := browser.Get(t, r.authorizePath("team_authorize", "read_svc_team"))
		if p.Status != http.StatusOK || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
			t.Errorf("team host: %d %s", p.Status, p.Text)
		}
		if p := browser.Get(t, r.authorizePath("team_authorize", "read_svc")); p.Status != http.StatusBadRequest {
			t.Errorf("a public scope: %d, want 400", p.Status)
		}
		articleRefused(t, h.Do(t, conformance.Call{Path: r.authorizePath("team_authorize", "read_svc_team")}),
			http.StatusNotFound, "not_found")
		outsider := h.SignedIn(t, "grace", "lyceum.localhost")
		if p := outsider.Get(t, r.authorizePath("team_authorize", "read_svc_team")); p.Status != http.StatusForbidden {
			t.Errorf("a user outside the team: %d, want 403", p.Status)
		}
	})
	for _, row := range []struct{ id, noun, host, page, scope string }{
		{"F-33", "access_tokens", "", "authorize", "read_svc"},
		{"F-35", "team_access_tokens", "lyceum.localhost", "team_authorize", "read_svc_team"},
	} {
		t.Run(row.id, func(t *testing.T) {
			code := r.code(t, row.host, row.page, row.scope)
			full := map[string]string{"client_id": r.id, "client_secret": r.secret, "code": code}
			for missing := range conformance.InOrder(full) {
				var members []string
				for name, value := range conformance.InOrder(full) {
					if name != missing {
						members = append(members, fmt.Sprintf("%q:%q", name, value))
					}
				}
				articleRefused(t, h.Do(t, conformance.Call{
					Method: "POST", Path: "/api/v2/" + row.noun, Host: row.host, Body: "{" + strings.Join(members,
						",") + "}",
				}), http.StatusBadRequest, "bad_request")
			}
			r.exchange(t, row.host, row.noun, code).Want(t, http.StatusCreated)
		})
	}
	t.Run("F-34", func(t *testing.T) {
		token := r.token(t, "read_svc")
		other := r.token(t, "read_svc")
		call := conformance.Call{Method: "DELETE", Path: "/api/v2/access_tokens/" + token}
		articleRefused(t, h.Do(t, call), http.StatusUnauthorized, "unauthorized")
		call.Bearer = other
		a := h.Do(t, call).Want(t, http.StatusNoContent)
		if len(a.Body) > 0 {
			t.Errorf("body: got %q, want none", a.Body)
		}
		articleRefused(t, h.Do(t, call), http.StatusNotFound, "not_found")
	})
	t.Run("F-36", func(t *testing.T) {
		token := r.teamToken(t, "lyceum", "read_svc_team")
		me(t, h, "lyceum.localhost", token).Want(t, http.StatusOK)
		h.Do(t, conformance.Call{Method: "DELETE", Path: "/api/v2/team_access_tokens/" + token,
			Host: "lyceum.localhost", Bearer: token}).Want(t, http.StatusNoContent)
		articleRefused(t, me(t, h, "lyceum.localhost", token), http.StatusUnauthorized, "unauthorized")
	})
}

func articleScopes(t *testing.T, h *conformance.Server, r reader) {
	t.Run("F-06", func(t *testing.T) {
		object := me(t, h, "", r.token(t, "read_svc")).Want(t, http.StatusOK).Object(t)
		conformance.Integer(t, object, "image_monthly_upload_limit")
		conformance.Integer(t, object, "image_monthly_upload_remaining")
		if len(object) != 18 {
			t.Errorf("members: got %d, want 16 of a user and 2 more: %v", len(object), object)
		}
	})
	t.Run("F-38", func(t *testing.T) {
		object := me(t, h, "", r.token(t, "read_svc")).Want(t, http.StatusOK).Object(t)
		if got := conformance.Text(t, object, "id"); got != "ada" {
			t.Errorf("id: got %q, want ada", got)
		}
	})
	t.Run("F-64", func(t *testing.T) {
		me(t, h, "", r.token(t, "read_svc")).Want(t, http.StatusOK)
		me(t, h, "", handMade(t, h, "read_svc")).Want(t, http.StatusOK)
		articleRefused(t, me(t, h, "", ""), http.StatusUnauthorized, "unauthorized")
	})
	t.Run("F-67", func(t *testing.T) {
		articleRefused(t, me(t, h, "", r.token(t, "write_svc")), http.StatusForbidden, "forbidden")
	})
	t.Run("F-68", func(t *testing.T) {
		articleRefused(t, me(t, h, "lyceum.localhost", r.token(t, "read_svc")), http.StatusForbidden, "forbidden")
		me(t, h, "lyceum.localhost", r.token(t, "read_svc_team")).Want(t, http.StatusOK)
	})
	t.Run("F-71", func(t *testing.T) {
		articleRefused(t, me(t, h, "closed.localhost", r.token(t, "read_svc_team")), http.StatusForbidden, "forbidden")
		me(t, h, "closed.localhost", r.teamToken(t, "closed", "read_svc_team")).Want(t, http.StatusOK)
		// A team access token opens its own team only.
		articleRefused(t, me(t, h, "closed.localhost", r.teamToken(t, "lyceum", "read_svc_team")),
			http.StatusForbidden, "forbidden")
	})
}

// handMade makes a token on the settings page and reads it off the screen.
func handMade(t *testing.T, h *conformance.Server, scope string) string {
	t.Helper()
	browser := h.SignedIn(t, "ada", "")
	p := browser.Submit(t, browser.Get(t, "/console/tokens/new?service=articles"), url.Values{
		"note": {"script"}, "kind": {"personal"}, "days": {"30"}, "scope": {scope},
	})
	found := regexp.MustCompile(`class="secret" value="([0-9a-f]{40})"`).FindStringSubmatch(p.Text)
	if found == nil {
		t.Fatalf("no token on the page: %d %s", p.Status, p.Text)
	}
	return found[1]
}

// manyAnonymous raises a limit to which requests that fail on purpose are charged too.
func manyAnonymous(c *app.Config) { c.Articles.AnonymousPerHour = 600 }
