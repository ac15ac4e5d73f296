package events_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

// testApp is an app as its developer knows it.
type testApp struct {
	AppID          int64  `json:"app_id"`
	Slug           string `json:"slug"`
	ClientID       string `json:"client_id"`
	ClientSecret   string `json:"client_secret"`
	InstallationID int64  `json:"installation_id"`
	PrivateKey     string `json:"private_key"`
}

// command runs a command of the service and reads its answer.
func (h *testServer) command(t testing.TB, path string, values map[string][]string, out any) error {
	t.Helper()
	for _, c := range h.Module.Commands {
		if c.Path != path {
			continue
		}
		got, err := c.Run(t.Context(), &module.Input{Values: values})
		if err != nil {
			return err
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		return json.Unmarshal(text, out)
	}
	t.Fatalf("there is no command %s", path)
	return nil
}

func (h *testServer) addApp(t testing.TB, name, owner string, permissions ...string) testApp {
	t.Helper()
	var app testApp
	err := h.command(t, "app add", map[string][]string{
		"name": {name}, "owner": {owner}, "permission": permissions,
	}, &app)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// sign makes a JSON Web Token with the app's key.
func (a testApp) sign(t testing.TB, claims map[string]any) string {
	t.Helper()
	block, _ := pem.Decode([]byte(a.PrivateKey))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}

func (a testApp) token(t testing.TB, now time.Time) string {
	return a.sign(t, map[string]any{"iss": a.AppID, "iat": now.Unix() - 60, "exp": now.Unix() + 540})
}

// TestApps: an app proves its key, finds where it is installed, and gets tokens with
// exactly the permissions and repositories that it asks for, for an hour.
func TestApps(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		addOrg(t, h, "lyceum", "ada")
		for _, name := range []string{"hall", "porch"} {
			_, err := h.forge.Create(t.Context(), forge.NewRepository{
				Owner: "lyceum", Name: name, Private: true, Actor: h.actor("ada"),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		app := h.addApp(t, "Hall Keeper", "lyceum", "issues:write", "contents:read")
		if app.Slug != "hall-keeper" || !strings.HasPrefix(app.PrivateKey, "-----BEGIN RSA PRIVATE KEY-----") {
			t.Fatalf("made %+v", app)
		}
		jwt := app.token(t, h.Clock.Now())
		if got := h.do(t, jwt, "GET", "/app", "", 200); got["slug"] != app.Slug || got["installations_count"] != 1.0 {
			t.Errorf("the app is %v", got)
		}
		installation := h.do(t, jwt, "GET", "/repos/lyceum/hall/installation", "", 200)
		if installation["id"] != float64(app.InstallationID) || installation["target_type"] != "Organization" {
			t.Errorf("the installation is %v", installation)
		}
		tokens := fmt.Sprintf("/app/installations/%d/access_tokens", app.InstallationID)
		h.checkWholeToken(t, jwt, tokens)
		h.checkNarrowToken(t, jwt, tokens)
		h.checkEnd(t, app, jwt, tokens)
	})
}

// checkWholeToken: without a wish a token has all that the app was given.
func (h *testServer) checkWholeToken(t testing.TB, jwt, tokens string) {
	t.Helper()
	made := h.do(t, jwt, "POST", tokens, "", 201)
	want := h.Clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	if made["expires_at"] != want || made["repository_selection"] != "all" ||
		fmt.Sprint(made["permissions"]) != "map[contents:read issues:write metadata:read]" {
		t.Errorf("the token is %v, want until %s", made, want)
	}
	token := made["token"].(string)
	if got := h.do(t, token, "GET", "/installation/repositories", "", 200); got["total_count"] != 2.0 {
		t.Errorf("the token is for %v", got)
	}
	h.do(t, token, "GET", "/repos/lyceum/porch", "", 200)
	h.do(t, token, "POST", "/repos/lyceum/hall/issues", `{"title":"Shade"}`, 201)
	h.do(t, token, "GET", "/repos/lyceum/hall/pulls", "", 403)
	h.do(t, token, "POST", "/repos/lyceum/hall/releases", `{"tag_name":"v1"}`, 403)
	h.do(t, token, "GET", "/user", "", 403)
	h.do(t, token, "GET", "/app", "", 401)
}

// checkNarrowToken: a token has what it asks for and no more.
func (h *testServer) checkNarrowToken(t testing.TB, jwt, tokens string) {
	t.Helper()
	made := h.do(t, jwt, "POST", tokens, `{"repositories":["hall"],"permissions":{"issues":"read"}}`, 201)
	if made["repository_selection"] != "selected" || len(made["repositories"].([]any)) != 1 ||
		fmt.Sprint(made["permissions"]) != "map[issues:read metadata:read]" {
		t.Errorf("the token is %v", made)
	}
	token := made["token"].(string)
	h.do(t, token, "GET", "/repos/lyceum/hall/issues", "", 200)
	h.do(t, token, "POST", "/repos/lyceum/hall/issues", `{"title":"Sun"}`, 403)
	h.do(t, token, "GET", "/repos/lyceum/porch", "", 404)
	h.do(t, token, "GET", "/repos/lyceum/hall/contents/", "", 403)
	got := h.do(t, token, "GET", "/installation/repositories", "", 200)
	if got["total_count"] != 1.0 || got["repository_selection"] != "selected" {
		t.Errorf("the token is for %v", got)
	}
	for _, body := range []string{
		`{"permissions":{"issues":"admin"}}`, `{"permissions":{"contents":"write"}}`, `{"permissions":{"none":"read"}}`,
		`{"repositories":["nowhere"]}`, `{"repository_ids":[999]}`,
	} {
		h.do(t, jwt, "POST", tokens, body, 422)
	}
	h.checkGit(t, token, "hall", "git-upload-pack", 404) // private, and the token reads no content
	content := `{"repositories":["hall"],"permissions":{"contents":"read"}}`
	reader := h.do(t, jwt, "POST", tokens, content, 201)["token"].(string)
	h.checkGit(t, reader, "hall", "git-upload-pack", 200)
	h.checkGit(t, reader, "hall", "git-receive-pack", 403)
	h.checkGit(t, reader, "porch", "git-upload-pack", 404)
	h.do(t, token, "DELETE", "/installation/token", "", 204)
	h.do(t, token, "GET", "/repos/lyceum/hall", "", 401)
}

// checkGit: git asks for the refs of a repository with a token as its password.
func (h *testServer) checkGit(t testing.TB, token, repo, service string, want int) {
	t.Helper()
	r := httptest.NewRequest("GET", "/git/lyceum/"+repo+".git/info/refs?service="+service, nil)
	r.SetBasicAuth("x-access-token", token)
	w := httptest.NewRecorder()
	h.forge.Module().Handler.ServeHTTP(w, r)
	if w.Code != want {
		t.Errorf("%s of %s: %d %s, want %d", service, repo, w.Code, w.Body, want)
	}
}

// checkEnd: a token ends after an hour, and with its installation.
func (h *testServer) checkEnd(t testing.TB, app testApp, jwt, tokens string) {
	t.Helper()
	first := h.do(t, jwt, "POST", tokens, "", 201)["token"].(string)
	h.Clock.Advance(time.Hour)
	h.do(t, first, "GET", "/repos/lyceum/hall", "", 401)
	if got := h.get("/app", jwt); got.Code != 401 || !strings.Contains(got.Body.String(), "'Expiration time' claim") {
		t.Errorf("an old proof: %d %s", got.Code, got.Body)
	}
	jwt = app.token(t, h.Clock.Now())
	second := h.do(t, jwt, "POST", tokens, "", 201)["token"].(string)
	h.do(t, jwt, "DELETE", strings.TrimSuffix(tokens, "/access_tokens"), "", 204)
	h.do(t, second, "GET", "/repos/lyceum/hall", "", 401)
	h.do(t, jwt, "POST", tokens, "", 404)
}

// TestAppOnUser: an app on chosen repositories of a user sees those alone.
func TestAppOnUser(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.repo(t, "ada", "open", false)
		h.repo(t, "ada", "one", true)
		h.repo(t, "ada", "two", true)
		h.User("grace")
		app := h.addApp(t, "Reader", "grace", "contents:write")
		var installed testApp
		choice := map[string][]string{"app": {"reader"}, "owner": {"ada"}, "repo": {"one"}}
		err := h.command(t, "app install", choice, &installed)
		if err != nil {
			t.Fatal(err)
		}
		jwt := app.token(t, h.Clock.Now())
		on := h.do(t, jwt, "GET", "/users/ada/installation", "", 200)
		if on["id"] != float64(installed.InstallationID) || on["repository_selection"] != "selected" {
			t.Errorf("the installation is %v", on)
		}
		h.do(t, jwt, "GET", "/repos/ada/two/installation", "", 404)
		token := h.do(t, jwt, "POST",
			fmt.Sprintf("/app/installations/%d/access_tokens", installed.InstallationID), "{}", 201)["token"].(string)
		h.do(t, token, "GET", "/repos/ada/one", "", 200)
		h.do(t, token, "GET", "/repos/ada/two", "", 404)
		h.do(t, token, "GET", "/repos/ada/open", "", 200)
		if got := h.get("/rate_limit", token).Header().Get("X-Ratelimit-Limit"); got != "5000" {
			t.Errorf("the limit is %s", got)
		}
		other := h.addApp(t, "Other", "grace")
		hidden := fmt.Sprintf("/app/installations/%d", installed.InstallationID)
		h.do(t, other.token(t, h.Clock.Now()), "GET", hidden, "", 404)
	})
}

// TestAppProofs: what is no proof of an app's key opens nothing.
func TestAppProofs(t *testing.T) {
	h := open(t, "", generous())
	h.User("ada")
	app, other := h.addApp(t, "One", "ada"), h.addApp(t, "Two", "ada")
	now := h.Clock.Now().Unix()
	claims := func(iss any, iat, exp int64) map[string]any {
		return map[string]any{"iss": iss, "iat": now + iat, "exp": now + exp}
	}
	for name, row := range map[string]struct {
		token string
		want  int
	}{
		"by number":           {app.sign(t, claims(app.AppID, 0, 600)), 200},
		"by number as text":   {app.sign(t, claims(fmt.Sprint(app.AppID), -60, 60)), 200},
		"by client id":        {app.sign(t, claims(app.ClientID, 0, 600)), 200},
		"by slug":             {app.sign(t, claims(app.Slug, 0, 600)), 401},
		"of another app":      {other.sign(t, claims(app.AppID, 0, 600)), 401},
		"of no app":           {app.sign(t, claims(99, 0, 600)), 401},
		"without an issuer":   {app.sign(t, claims(nil, 0, 600)), 401},
		"for too long":        {app.sign(t, claims(app.AppID, 0, 3600)), 401},
		"expired":             {app.sign(t, claims(app.AppID, -600, 0)), 401},
		"from the future":     {app.sign(t, claims(app.AppID, 300, 600)), 401},
		"without times":       {app.sign(t, map[string]any{"iss": app.AppID}), 401},
		"with a text as time": {app.sign(t, map[string]any{"iss": app.AppID, "iat": "x", "exp": "y"}), 401},
		"changed":             {app.sign(t, claims(app.AppID, 0, 600)) + "A", 401},
		"not signed":          {"eyJhbGciOiJub25lIn0.eyJpc3MiOjF9.", 401},
		"nothing":             {"a.b.c", 401},
	} {
		if got := h.get("/app", row.token); got.Code != row.want {
			t.Errorf("%s: %d %s, want %d", name, got.Code, got.Body, row.want)
		}
	}
	var renewed testApp
	if err := h.command(t, "app key", map[string][]string{"app": {"one"}, "replace": {"true"}}, &renewed); err != nil {
		t.Fatal(err)
	}
	if got := h.get("/app", app.token(t, h.Clock.Now())); got.Code != http.StatusUnauthorized {
		t.Errorf("the key before: %d", got.Code)
	}
	app.PrivateKey = renewed.PrivateKey
	if got := h.get("/app", app.token(t, h.Clock.Now())); got.Code != http.StatusOK {
		t.Errorf("the new key: %d", got.Code)
	}
}

// appScenarios play every operation on apps.
func appScenarios(t testing.TB, h *testServer, ada string) []routetest.Scenario {
	t.Helper()
	app := h.addApp(t, "Scenario", "ada", "contents:read")
	org := h.addApp(t, "Org Scenario", "lyceum")
	own, orgs := "Bearer "+app.token(t, h.Clock.Now()), "Bearer "+org.token(t, h.Clock.Now())
	made := h.do(t, strings.TrimPrefix(own, "Bearer "), "POST",
		fmt.Sprintf("/app/installations/%d/access_tokens", app.InstallationID), "", 201)
	token := "Bearer " + made["token"].(string)
	one := fmt.Sprintf("/app/installations/%d", app.InstallationID)
	var out []routetest.Scenario
	for _, call := range []struct {
		method, url, caller string
		status              int
	}{
		{"GET", "/app", own, 200},
		{"GET", "/app", ada, 401},
		{"GET", "/apps/scenario", "", 200},
		{"GET", "/apps/none", "", 404},
		{"GET", "/app/installations", own, 200},
		{"GET", "/app/installations", "", 401},
		{"GET", one, own, 200},
		{"GET", one, orgs, 404},
		{"POST", one + "/access_tokens", own, 201},
		{"POST", one + "/access_tokens", orgs, 404},
		{"GET", "/installation/repositories", token, 200},
		{"GET", "/installation/repositories", own, 403},
		{"GET", "/repos/ada/talk/installation", own, 200},
		{"GET", "/repos/ada/talk/installation", orgs, 404},
		{"GET", "/orgs/lyceum/installation", orgs, 200},
		{"GET", "/orgs/lyceum/installation", own, 404},
		{"GET", "/users/ada/installation", own, 200},
		{"GET", "/users/ada/installation", orgs, 404},
		{"DELETE", "/installation/token", own, 403},
		{"DELETE", "/installation/token", token, 204},
		{"DELETE", one, orgs, 404},
		{"DELETE", one, own, 204},
	} {
		out = append(out, routetest.Scenario{
			Name: fmt.Sprintf("%s %s %d", call.method, call.url, call.status), Method: call.method, URL: call.url,
			Caller: call.caller, Status: call.status,
		})
	}
	return out
}
