package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// ask is a consent page as a service shows it.
func (h *testServer) ask(change func(*identity.Authorization)) (identity.Client, string) {
	h.t.Helper()
	client, _, err := h.Identity.AddClient(h.t.Context(), identity.NewClient{
		Name: `Reader <b>"&`, Type: identity.ClientWeb, RedirectURIs: []string{"https://app.example/back"},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	a := identity.Authorization{
		Service: "labels", ClientID: client.ID, RedirectURI: "https://app.example/back",
		Scopes: []string{"storage.labels"}, State: "x&y", HasState: true, CodeTTL: time.Minute,
	}
	if change != nil {
		change(&a)
	}
	return client, h.Identity.SealAuthorization(a, time.Minute)
}

// request is the sealed authorization on a consent page.
func request(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no request on the page:\n%s", page)
	}
	return html.UnescapeString(found[1])
}

func TestConsent(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, sealed := h.ask(nil)
	w := h.send("GET", "/console/consent?request="+sealed, nil)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Sign in to continue") {
		t.Errorf("an anonymous caller: %d, want to be asked to sign in", w.Code)
	}
	h.signIn("ada")
	w = h.send("GET", "/console/consent?request="+sealed, nil)
	page := w.Body.String()
	want(t, page, "Reader &lt;b&gt;", "Manage labels", "http://stoa.test/auth/storage.labels", "app.example")
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "form-action 'self' https://app.example;") {
		t.Errorf("policy = %q, want the application's origin in form-action", policy)
	}
	for decision, want := range map[string]string{"allow": "code=", "deny": "error=access_denied"} {
		w := h.send("POST", "/console/consent", url.Values{
			"form": {h.form()}, "request": {request(t, page)}, "decision": {decision},
		})
		to := w.Header().Get("Location")
		if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "https://app.example/back?") ||
			!strings.Contains(to, want) || !strings.Contains(to, "state=x%26y") {
			t.Errorf("%s: %d %q", decision, w.Code, to)
		}
	}
	if !strings.Contains(page, `name="next" value="/console/consent?request=`) {
		t.Error("signing out does not lead back to the consent page")
	}
	w = h.send("POST", "/console/consent", url.Values{
		"form": {h.form()}, "request": {request(t, page)}, "decision": {"maybe"},
	})
	if w.Code != http.StatusBadRequest {
		t.Errorf("maybe: %d, want 400", w.Code)
	}
}

func TestConsentRefuses(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	client, sealed := h.ask(nil)
	answer := func(sealed string) int {
		return h.send("POST", "/console/consent", url.Values{
			"form": {h.form()}, "request": {sealed}, "decision": {"allow"},
		}).Code
	}
	if got := answer(sealed[:len(sealed)-3] + "AAA"); got != http.StatusBadRequest {
		t.Errorf("a changed request: %d, want 400", got)
	}
	team, err := h.Identity.AddTeam(t.Context(), identity.NewTeam{Name: "lyceum", OwnerID: h.User("grace").ID})
	if err != nil {
		t.Fatal(err)
	}
	_, forTeam := h.ask(func(a *identity.Authorization) { a.TeamID = team.ID })
	if got := answer(forTeam); got != http.StatusForbidden {
		t.Errorf("a team of others: %d, want 403", got)
	}
	_, moved := h.ask(func(a *identity.Authorization) { a.RedirectURI = "https://app.example/elsewhere" })
	if got := answer(moved); got != http.StatusBadRequest {
		t.Errorf("a redirect URI that is not registered: %d, want 400", got)
	}
	if err := h.Identity.DeleteClient(t.Context(), client.ID); err != nil {
		t.Fatal(err)
	}
	if got := answer(sealed); got != http.StatusNotFound {
		t.Errorf("an application that is gone: %d, want 404", got)
	}
	_, late := h.ask(nil)
	h.Clock.Advance(time.Minute)
	if got := answer(late); got != http.StatusBadRequest {
		t.Errorf("too late: %d, want 400", got)
	}
}

// TestCodeOfNoDevice: a page says what is wrong with a code.
func TestCodeOfNoDevice(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	for code, want := range map[string]string{
		"ABCD-EFGH": "it is not known, or it has expired", "WDJB-MJHT": "it is not known, or it has expired",
		"WDJB": "A code has eight letters", "WDJB-MJ12": "A code has eight letters",
	} {
		w := h.send("POST", "/device", url.Values{"form": {h.form()}, "user_code": {code}})
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s, want %q", code, w.Body.String(), want)
		}
	}
}

// TestDecisionIsBound: the hidden field of one session's page is refused in another
// session.
func TestDecisionIsBound(t *testing.T) {
	t.Parallel()
	h := open(t)
	start, err := h.Grants.StartDevice(t.Context(), grants.DeviceRequest{
		Service: "labels", Scopes: []string{"storage.labels"}, TTL: time.Hour, Interval: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.signIn("ada")
	page := h.send("POST", "/device", url.Values{"form": {h.form()}, "user_code": {start.UserCode}}).Body.String()
	pending := request(t, page)
	h.User("grace")
	h.cookie = ""
	h.signIn("grace")
	w := h.send("POST", "/device/decision", url.Values{
		"form": {h.form()}, "request": {pending}, "decision": {"allow"},
	})
	if w.Code != http.StatusBadRequest {
		t.Errorf("another session: %d, want 400", w.Code)
	}
	if g, err := h.Grants.ByUserCode(t.Context(), start.UserCode); err != nil || g.State != grants.Pending {
		t.Errorf("grant = %+v, %v; want it pending", g, err)
	}
}

// TestEveryCommonErrorIsAPage: every failure is answered with HTML.
func TestEveryCommonErrorIsAPage(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, row := range []struct {
		method, target, body string
		want                 int
	}{
		{"GET", "/console/nowhere", "", 404},
		{"PUT", "/console/tokens", "", 405},
		{"POST", "/console/sign-in", strings.Repeat("x", 70_000), 413},
	} {
		w := h.Call(row.method, row.target, row.body, "Content-Type: application/x-www-form-urlencoded")
		if w.Code != row.want || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s %s: %d %s, want %d and a page", row.method, row.target, w.Code,
				w.Header().Get("Content-Type"), row.want)
		}
	}
}
