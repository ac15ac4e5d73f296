package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

const password = "correct horse battery"

// testServer is a console with one service behind it.
type testServer struct {
	*identitytest.Server
	t      *testing.T
	cookie string
	// browser is the cookie that stays when a session ends, from the address
	// that requests come from.
	browser, from string
	pauses        *pauseRecorder
}

func build(c console.Config, pauses *pauseRecorder) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		service := module.Module{Name: "labels", Title: "Label limits", Scopes: []module.Scope{
			{Name: "storage.labels", Based: true, Description: "manage labels"},
		}}
		identity.Register(service)
		made := console.New(w, identity, grants.New(w, identity), c, []module.Module{service})
		made.SetPauseClock(pauses)
		return made.Module()
	}
}

func open(t *testing.T) *testServer {
	t.Helper()
	c := console.DefaultConfig()
	c.PasswordTries, c.CodeTries = 3, 3
	pauses := &pauseRecorder{Clock: clock.Real()}
	h := &testServer{Server: identitytest.SQLite(t, build(c, pauses)), t: t, from: "127.0.0.1:1", pauses: pauses}
	h.User("ada")
	return h
}

// send is a request of a browser with the cookies of the last answers.
func (h *testServer) send(method, target string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r.RemoteAddr = h.from
	for _, cookie := range []string{h.cookie, h.browser} {
		if cookie != "" {
			r.Header.Add("Cookie", cookie)
		}
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := h.Do(r)
	for _, c := range w.Result().Cookies() {
		if strings.HasSuffix(c.Name, "stoa_browser") {
			h.browser = c.Name + "=" + c.Value
		} else {
			h.cookie = c.Name + "=" + c.Value
		}
	}
	return w
}

func (h *testServer) signIn(name string) *httptest.ResponseRecorder {
	h.t.Helper()
	w := h.send("POST", "/console/sign-in", url.Values{"name": {name}, "password": {password}})
	if w.Code != http.StatusSeeOther {
		h.t.Fatalf("sign in: %d %s", w.Code, w.Body)
	}
	return w
}

// form is the token that the session's pages carry.
func (h *testServer) form() string {
	h.t.Helper()
	page := h.send("GET", "/console", nil).Body.String()
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		h.t.Fatal("no form on the page")
	}
	return found[1]
}

func TestCookie(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		target, want string
		secure       bool
	}{
		"plain": {"http://stoa.test/console/sign-in", "stoa_session", false},
		"port":  {"http://stoa.test:18716/console/sign-in", "stoa_session_18716", false},
		"https": {"https://stoa.test/console/sign-in", "__Host-stoa_session", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			w := h.send("POST", row.target, url.Values{"name": {"ada"}, "password": {password}})
			cookies := w.Result().Cookies()
			browser := strings.Replace(row.want, "session", "browser", 1)
			if len(cookies) != 2 || cookies[0].Name != row.want || cookies[1].Name != browser {
				t.Fatalf("cookies = %v, want the session's and the browser's", cookies)
			}
			for _, c := range cookies {
				if c.Secure != row.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
					c.Path != "/" || c.Domain != "" {
					t.Errorf("cookie = %+v", c)
				}
				if strings.Contains(h.Log.String(), c.Value) {
					t.Errorf("the value of %s was logged", c.Name)
				}
			}
		})
	}
}

// TestSessionFixation: whatever cookie a browser held, it gets another at sign-in,
// and the one before opens nothing.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.cookie = "stoa_session=chosen-by-an-attacker"
	h.signIn("ada")
	if strings.Contains(h.cookie, "chosen") {
		t.Fatal("the session keeps the secret from before")
	}
	first := h.cookie
	h.signIn("ada")
	second := h.cookie
	h.cookie = first
	if w := h.send("GET", "/console/tokens", nil); w.Code != http.StatusSeeOther || first == second {
		t.Errorf("the session from before: %d, want a redirect to sign in", w.Code)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	form := h.form()
	for name, row := range map[string]struct {
		form    string
		headers []string
		want    int
	}{
		"its own":                {form, nil, 303},
		"without a token":        {"", nil, 403},
		"with another's token":   {identity.FormToken("other"), nil, 403},
		"from another site":      {form, []string{"Sec-Fetch-Site: cross-site"}, 403},
		"from a sibling host":    {form, []string{"Sec-Fetch-Site: same-site"}, 403},
		"from another origin":    {form, []string{"Sec-Fetch-Site: ", "Origin: https://evil.example"}, 403},
		"no origin, but a token": {form, []string{"Sec-Fetch-Site: ", "Origin: "}, 303},
	} {
		t.Run(name, func(t *testing.T) {
			w := h.send("POST", "/console/sessions", url.Values{"form": {row.form}}, row.headers...)
			if w.Code != row.want {
				t.Errorf("status = %d, want %d", w.Code, row.want)
			}
		})
	}
	signIn := url.Values{"name": {"ada"}, "password": {password}}
	if w := h.send("POST", "/console/sign-in", signIn, "Sec-Fetch-Site: cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("sign-in from another site: %d, want 403", w.Code)
	}
	h.cookie = ""
	if w := h.send("POST", "/console/sessions", url.Values{"form": {form}}); w.Code != http.StatusUnauthorized {
		t.Errorf("without a session: %d, want 401", w.Code)
	}
}

func TestNextStaysOnThisServer(t *testing.T) {
	t.Parallel()
	h := open(t)
	for next, want := range map[string]string{
		"/device":                        "/device",
		"/oauth2/authorize?a=b&c=https:": "/oauth2/authorize?a=b&c=https:",
		"":                               "/console",
		"device":                         "/console",
		"//evil.example":                 "/console",
		"///evil.example":                "/console",
		`/\evil.example`:                 "/console",
		`\\evil.example`:                 "/console",
		"/\t/evil.example":               "/console",
		"/\n/evil.example":               "/console",
		" //evil.example":                "/console",
		"https://evil.example":           "/console",
		"javascript:alert(1)":            "/console",
		"http:evil.example":              "/console",
		"/%2f/evil.example":              "/console",
		"/" + strings.Repeat("x", 7000):  "/console",
	} {
		t.Run(next[:min(len(next), 20)], func(t *testing.T) {
			w := h.send("POST", "/console/sign-in", url.Values{"name": {"ada"}, "password": {password}, "next": {next}})
			if got := w.Header().Get("Location"); got != want {
				t.Errorf("Location = %q, want %q", got, want)
			}
		})
	}
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	other := h.cookie
	h.cookie = ""
	h.signIn("ada")
	change := func(old, fresh, again string) int {
		return h.send("POST", "/console/password", url.Values{
			"form": {h.form()}, "old": {old}, "password": {fresh}, "again": {again},
		}).Code
	}
	for name, row := range map[string][3]string{
		"wrong":     {"wrong", "new password", "new password"},
		"different": {password, "new password", "new passwor"},
		"short":     {password, "short", "short"},
	} {
		if got := change(row[0], row[1], row[2]); got != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", name, got)
		}
	}
	if got := change(password, "new password", "new password"); got != http.StatusSeeOther {
		t.Fatalf("change: %d, want 303", got)
	}
	w := h.send("GET", "/console/sessions", nil)
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), "current session") != 1 {
		t.Errorf("this browser: %d, want to stay signed in", w.Code)
	}
	h.cookie = other
	if w := h.send("GET", "/console/sessions", nil); w.Code != http.StatusSeeOther {
		t.Errorf("the other browser: %d, want to be signed out", w.Code)
	}
}

// TestOtherUsersEntries: ids in addresses open nothing that belongs to another
// user.
func TestOtherUsersEntries(t *testing.T) {
	t.Parallel()
	h := open(t)
	grace := h.User("grace")
	token, _, err := h.Identity.IssueToken(t.Context(), identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{"labels"}, UserID: grace.ID, Note: "hers",
	})
	if err != nil {
		t.Fatal(err)
	}
	client, _, err := h.Identity.AddClient(t.Context(), identity.NewClient{
		Name: "hers", Type: identity.ClientDevice, OwnerID: grace.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	session, _, err := h.Identity.StartSession(t.Context(), identity.SessionRequest{UserID: grace.ID, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	h.signIn("ada")
	form := url.Values{"form": {h.form()}}
	for _, target := range []string{
		"/console/tokens/" + itoa(token.ID) + "/revoke", "/console/tokens/x/revoke",
		"/console/applications/" + client.ID + "/secret", "/console/applications/" + client.ID + "/delete",
		"/console/sessions/" + itoa(session.ID) + "/end",
	} {
		if w := h.send("POST", target, form); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", target, w.Code)
		}
	}
	for _, target := range []string{"/console/tokens", "/console/applications", "/console/sessions"} {
		if w := h.send("GET", target, nil); strings.Contains(w.Body.String(), "hers") {
			t.Errorf("%s shows what belongs to another user", target)
		}
	}
	if got, err := h.Identity.Token(t.Context(), token.ID); err != nil || !got.RevokedAt.IsZero() {
		t.Errorf("the token is %+v, %v; want it untouched", got, err)
	}
}

// TestRevokeEndsTheGrant: a token that its user revokes ends with every other of its grant.
func TestRevokeEndsTheGrant(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.User("ada")
	tokens := map[identity.Kind]identity.Token{}
	for _, kind := range []identity.Kind{identity.KindAccess, identity.KindRefresh} {
		token, _, err := h.Identity.IssueToken(t.Context(), identity.IssueOptions{
			Kind: kind, Services: []string{"labels"}, UserID: ada.ID, Family: "grant",
		})
		if err != nil {
			t.Fatal(err)
		}
		tokens[kind] = token
	}
	h.signIn("ada")
	target := "/console/tokens/" + itoa(tokens[identity.KindAccess].ID) + "/revoke"
	if w := h.send("POST", target, url.Values{"form": {h.form()}}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for kind, token := range tokens {
		if got, err := h.Identity.Token(t.Context(), token.ID); err != nil || got.RevokedAt.IsZero() {
			t.Errorf("the %s token is %+v, %v; want it revoked", kind, got, err)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestBrowserNames(t *testing.T) {
	t.Parallel()
	h := open(t)
	const edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/140.0 Safari/537.36 Edg/140.0"
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	const safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 " +
		"Version/18.0 Mobile Safari/604.1"
	for agent, want := range map[string]string{
		edge: "Edge on Windows", firefox: "Firefox on Linux", safari: "Safari on iPhone",
		"curl/8.0": "curl", "": "Unknown browser",
	} {
		h.cookie = ""
		h.send("POST", "/console/sign-in", url.Values{"name": {"ada"}, "password": {password}}, "User-Agent: "+agent)
		page := h.send("GET", "/console/sessions", nil).Body.String()
		if !strings.Contains(page, "<strong>"+want+"</strong>") {
			t.Errorf("%q is not called %q", agent, want)
		}
	}
}
