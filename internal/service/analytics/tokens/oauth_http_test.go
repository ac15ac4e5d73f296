package tokens_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics"
)

const (
	back      = "https://app.example/back"
	grantType = "urn:ietf:params:oauth:grant-type:device_code"
)

// shownPages records what the service hands over to the pages.
type shownPages struct {
	authorization *identity.Authorization
	message       *identity.Message
}

func newServer(t testing.TB) (*identitytest.Server, *shownPages) {
	t.Helper()
	got := &shownPages{}
	h := identitytest.Open(t, func(w *world.World, idents *identity.Identity) module.Module {
		idents.ProvidePages(identity.Pages{
			Consent: func(a identity.Authorization) route.Handler {
				return func(w http.ResponseWriter, _ *route.Request) error {
					got.authorization = &a
					w.WriteHeader(http.StatusOK)
					return nil
				}
			},
			Message: func(m identity.Message) route.Handler {
				return func(w http.ResponseWriter, _ *route.Request) error {
					got.message = &m
					w.WriteHeader(m.Status)
					return nil
				}
			},
		})
		return analytics.New(w, idents, grants.New(w, idents), analytics.DefaultConfig()).Module()
	}, "")
	return h, got
}

func post(h *identitytest.Server, target string, form url.Values) *httptest.ResponseRecorder {
	return h.Call("POST", target, form.Encode(), "Content-Type: application/x-www-form-urlencoded")
}

func client(
	t *testing.T, h *identitytest.Server, kind identity.ClientType, redirects ...string,
) (identity.Client, string) {
	t.Helper()
	c, secret, err := h.Identity.AddClient(t.Context(), identity.NewClient{
		Name: "app", Type: kind, RedirectURIs: redirects,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, secret
}

func TestAuthorizeHandsOver(t *testing.T) {
	t.Parallel()
	h, got := newServer(t)
	c, _ := client(t, h, identity.ClientWeb, back, "/oauth2/success")
	authorize := func(q url.Values) *httptest.ResponseRecorder {
		*got = shownPages{}
		return h.Call("GET", "/oauth2/authorize?"+q.Encode(), "", "Accept: text/html")
	}
	full := func() url.Values {
		return url.Values{
			"client_id": {c.ID}, "redirect_uri": {back}, "response_type": {"code"},
			"scope": {"user.id,siteaudit.info"}, "state": {"kept & sent"},
		}
	}
	if w := authorize(full()); w.Code != 200 || got.authorization == nil {
		t.Fatalf("a good request: %d %s", w.Code, w.Body)
	}
	a := got.authorization
	if a.Service != "analytics" || a.ClientID != c.ID || a.RedirectURI != back || len(a.Scopes) != 2 {
		t.Errorf("authorization = %+v", a)
	}
	if !a.HasState || a.CodeFormat.Length != 40 {
		t.Errorf("authorization = %+v", a)
	}
	for name, row := range map[string]struct {
		change func(url.Values)
		error  string // at the application; empty means told to the user
	}{
		"unknown client":        {func(q url.Values) { q.Set("client_id", "x") }, ""},
		"no address":            {func(q url.Values) { q.Del("redirect_uri") }, ""},
		"another address":       {func(q url.Values) { q.Set("redirect_uri", back+"/") }, ""},
		"two clients":           {func(q url.Values) { q.Add("client_id", "x") }, ""},
		"another response type": {func(q url.Values) { q.Set("response_type", "token") }, "unsupported_response_type"},
		"no response type":      {func(q url.Values) { q.Del("response_type") }, "invalid_request"},
		"unknown scope":         {func(q url.Values) { q.Set("scope", "x") }, "invalid_scope"},
		"plain proof":           {func(q url.Values) { q.Set("code_challenge_method", "plain") }, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			q := full()
			row.change(q)
			w := authorize(q)
			if w.Header().Get("Location") != "" || got.authorization != nil {
				t.Fatalf("sent to %q, consent asked: %v", w.Header().Get("Location"), got.authorization != nil)
			}
			if got.message == nil || w.Code < 400 {
				t.Fatalf("the user is told %v with %d", got.message, w.Code)
			}
			to, err := url.Parse(got.message.ReturnURL)
			withState := row.error == "" || to.Query().Get("state") == q.Get("state")
			if err != nil || to.Query().Get("error") != row.error || !withState {
				t.Errorf("the link is %q, %v; want it to tell %q and the state", got.message.ReturnURL, err, row.error)
			}
		})
	}
	q := full()
	q.Set("redirect_uri", "/oauth2/success")
	if w := authorize(q); w.Code != 200 || got.authorization == nil {
		t.Errorf("a path of this server: %d %s", w.Code, w.Body)
	}
	if w := h.Call("GET", "/oauth2/authorize?client_id=x", ""); w.Code != 401 ||
		!strings.Contains(w.Body.String(), "invalid_client") {
		t.Errorf("a program: %d %s, want the error body", w.Code, w.Body)
	}
}

func TestVerifyCodeLeadsToThePage(t *testing.T) {
	t.Parallel()
	h, _ := newServer(t)
	w := h.Call("GET", "/dag/auth/verify_code?code=AB%26x%3Dy", "")
	if got, want := w.Header().Get("Location"), "/device?user_code=AB%26x%3Dy"; w.Code != 302 || got != want {
		t.Errorf("%d %q, want 302 %q", w.Code, got, want)
	}
}

// Clients of RFC 8628 must send a client_id: a name that is not registered means
// nothing to a flow that needs no client, also when it refreshes.
func TestAnUnregisteredDevice(t *testing.T) {
	t.Parallel()
	h, _ := newServer(t)
	var started struct {
		Device string `json:"device_code"`
		User   string `json:"user_code"`
	}
	named := url.Values{"client_id": {"my-app"}}
	if err := json.Unmarshal(post(h, "/dag/device/code", named).Body.Bytes(), &started); err != nil || started.User == "" {
		t.Fatal(err, started)
	}
	poll := url.Values{"client_id": {"my-app"}, "grant_type": {grantType}, "device_code": {started.Device}}
	if w := post(h, "/dag/device/token", poll); w.Code != 428 ||
		!strings.Contains(w.Body.String(), "Precondition Required") {
		t.Errorf("pending: %d %s", w.Code, w.Body)
	}
	if w := post(h, "/dag/device/token", poll); w.Code != 403 || !strings.Contains(w.Body.String(), `"Forbidden"`) {
		t.Errorf("too soon: %d %s", w.Code, w.Body)
	}
	g, err := h.Grants.ByUserCode(t.Context(), started.User)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Grants.Decide(t.Context(), g.ID, h.User("ada").ID, true); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Refresh string `json:"refresh_token"`
	}
	w := post(h, "/dag/device/token", poll)
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("approved: %d %s", w.Code, w.Body)
	}
	refresh := url.Values{"client_id": {"my-app"}, "grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}}
	if w := post(h, "/oauth2/access_token", refresh); w.Code != 200 {
		t.Errorf("refresh: %d %s", w.Code, w.Body)
	}
	refresh.Set("refresh_token", "nothing")
	if w := post(h, "/oauth2/access_token", refresh); w.Code != 401 {
		t.Errorf("an unknown client with an unknown token: %d %s, want 401", w.Code, w.Body)
	}
}

// TestOneRedemption: of many that try a code, one gets tokens.
func TestOneRedemption(t *testing.T) {
	t.Parallel()
	h, _ := newServer(t)
	c, secret := client(t, h, identity.ClientWeb, back)
	code, err := h.Grants.IssueCode(t.Context(), grants.CodeRequest{
		Service: "analytics", ClientID: c.ID, RedirectURI: back, Scopes: []string{"user.id"},
		UserID: h.User("ada").ID, TTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{
		"client_id": {c.ID}, "client_secret": {secret}, "grant_type": {"authorization_code"},
		"code": {code}, "redirect_uri": {back},
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		codes = map[int]int{}
	)
	for range 24 {
		wg.Go(func() {
			w := post(h, "/oauth2/access_token", form)
			mu.Lock()
			codes[w.Code]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if codes[200] != 1 || codes[400] != 23 {
		t.Errorf("statuses = %v, want one 200 and 23 times 400", codes)
	}
}

// TestDeviceRefresh is K-N5: a token of the device grant needs no client.
func TestDeviceRefresh(t *testing.T) {
	t.Parallel()
	h, _ := newServer(t)
	var started struct {
		Device string `json:"device_code"`
		User   string `json:"user_code"`
	}
	if err := json.Unmarshal(h.Call("POST", "/dag/device/code", "").Body.Bytes(), &started); err != nil {
		t.Fatal(err)
	}
	g, err := h.Grants.ByUserCode(t.Context(), started.User)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Grants.Decide(t.Context(), g.ID, h.User("ada").ID, true); err != nil {
		t.Fatal(err)
	}
	pair := func(w *httptest.ResponseRecorder) string {
		var got struct {
			Refresh string `json:"refresh_token"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return got.Refresh
	}
	refresh := func(token string, more url.Values) *httptest.ResponseRecorder {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
		for name, values := range more {
			form[name] = values
		}
		return post(h, "/oauth2/access_token", form)
	}
	first := pair(post(h, "/dag/device/token", url.Values{"grant_type": {grantType}, "device_code": {started.Device}}))
	second := pair(refresh(first, nil))
	c, secret := client(t, h, identity.ClientWeb, back)
	if w := refresh(second, url.Values{"client_id": {c.ID}, "client_secret": {"wrong"}}); w.Code != 401 {
		t.Errorf("a wrong secret: %d, want 401", w.Code)
	}
	pair(refresh(second, url.Values{"client_id": {c.ID}, "client_secret": {secret}}))
	if w := post(h, "/dag/device/token", url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {second},
	}); w.Code != 400 {
		t.Errorf("refresh at the device endpoint: %d, want 400", w.Code)
	}
}
