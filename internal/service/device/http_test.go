package device_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/device"
)

const grantType = "urn:ietf:params:oauth:grant-type:device_code"

func build(c device.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return device.New(w, identity, grants.New(w, identity), c).Module()
	}
}

// flow is a client with what it was told.
type flow struct {
	h                *identitytest.Server
	t                *testing.T
	id, secret       string
	device, userCode string
}

func newFlow(t *testing.T, h *identitytest.Server) *flow {
	t.Helper()
	c, secret, err := h.Identity.AddClient(t.Context(), identity.NewClient{Name: "tv", Type: identity.ClientDevice})
	if err != nil {
		t.Fatal(err)
	}
	f := &flow{h: h, t: t, id: c.ID, secret: secret}
	f.begin()
	return f
}

func post(h *identitytest.Server, target string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	headers = append([]string{"Content-Type: application/x-www-form-urlencoded"}, headers...)
	return h.Call("POST", target, form.Encode(), headers...)
}

func (f *flow) begin() {
	f.t.Helper()
	var got struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
	}
	w := post(f.h, "/device/code", url.Values{"client_id": {f.id}, "scope": {"video"}})
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		f.t.Fatalf("code: %d %s", w.Code, w.Body)
	}
	f.device, f.userCode = got.DeviceCode, got.UserCode
}

func (f *flow) form() url.Values {
	return url.Values{
		"client_id": {f.id}, "client_secret": {f.secret}, "device_code": {f.device}, "grant_type": {grantType},
	}
}

func (f *flow) decide(yes bool) {
	f.t.Helper()
	g, err := f.h.Grants.ByUserCode(f.t.Context(), f.userCode)
	if err == nil {
		_, err = f.h.Grants.Decide(f.t.Context(), g.ID, f.h.User("ada").ID, yes)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// TestBothCredentialStyles is a client that sends each poll twice, first with
// the header and then with the form, until one succeeds.
func TestBothCredentialStyles(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(device.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		f := newFlow(t, h)
		header := func() int {
			form := url.Values{"device_code": {f.device}, "grant_type": {grantType}}
			r := httptest.NewRequest("POST", "/token", strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.SetBasicAuth(f.id, f.secret)
			return h.Do(r).Code
		}
		for range 3 {
			if a, b := header(), post(h, "/token", f.form()).Code; a != 428 || b != 428 {
				t.Errorf("the pair was answered %d and %d, want 428 twice", a, b)
			}
			h.Clock.Advance(5 * time.Second)
		}
		f.decide(true)
		if got := header(); got != 200 {
			t.Errorf("after approval: %d, want 200", got)
		}
	})
}

func TestOneDeviceWins(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(device.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		f := newFlow(t, h)
		f.decide(true)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			codes = map[int]int{}
		)
		for range 32 {
			wg.Go(func() {
				w := post(h, "/token", f.form())
				mu.Lock()
				codes[w.Code]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if codes[200] != 1 || codes[400] != 31 {
			t.Errorf("statuses = %v, want one 200 and 31 times 400", codes)
		}
	})
}

func TestSecretsStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(device.DefaultConfig()))
	f := newFlow(t, h)
	f.decide(true)
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal(post(h, "/token", f.form()).Body.Bytes(), &got); err != nil || got.Access == "" {
		t.Fatal(err, got)
	}
	post(h, "/revoke?token="+got.Access, url.Values{})
	for name, secret := range map[string]string{
		"device code": f.device, "user code": f.userCode, "client secret": f.secret,
		"access token": got.Access, "refresh token": got.Refresh,
	} {
		if strings.Contains(h.Log.String(), secret) {
			t.Errorf("the %s was logged", name)
		}
	}
}

// TestRoutes calls each row of the table with success and with failure.
func TestRoutes(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, withPages(&shownPages{}))
	f := newFlow(t, h)
	f.decide(true)
	bearer := map[string]string{"Authorization": "Bearer " + h.Token("ada", "openid")}
	web, _ := addClient(t, h, identity.ClientWeb, back)
	good := url.Values{
		"client_id": {web}, "redirect_uri": {back}, "response_type": {"code"}, "scope": {"openid"},
	}.Encode()
	seen := routetest.Record(h.Module.Handler, h.Module.Routes)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	code, token := url.Values{"client_id": {f.id}, "scope": {"video"}}.Encode(), f.form().Encode()
	for _, s := range []routetest.Scenario{
		{Method: "POST", URL: "/device/code", Header: form, Body: code, Status: 200},
		{
			Method: "POST", URL: "/device/code", Header: form, Body: "client_id=x&client_id=y",
			Status: 400, Contains: []string{"invalid_request"},
		},
		{
			Method: "POST", URL: "/device/code", Header: map[string]string{"Content-Type": "application/json"},
			Body: "{}", Status: 415,
		},
		{
			Method: "POST", URL: "/token", Header: form, Body: token,
			Status: 200, WantHeader: map[string]string{"Cache-Control": "no-store"},
		},
		{Method: "POST", URL: "/token", Header: form, Body: token, Status: 400, Contains: []string{"invalid_grant"}},
		{Method: "POST", URL: "/revoke", Header: form, Body: "token=unknown", Status: 200},
		{Method: "POST", URL: "/revoke", Header: form, Body: "x=y", Status: 400},
		{
			URL: "/.well-known/openid-configuration", Status: 200,
			Contains: []string{
				`"issuer":"http://stoa.test"`, `"authorization_endpoint":"http://stoa.test/o/oauth2/v2/auth"`,
				`"device_authorization_endpoint":"http://stoa.test/device/code"`, `"token_endpoint":"http://stoa.test/token"`,
				`"userinfo_endpoint":"http://stoa.test/`, `"revocation_endpoint":"http://stoa.test/revoke"`,
				`"jwks_uri":"http://stoa.test/`,
			},
		},
		{URL: "/.well-known/oauth-authorization-server", Status: 200},
		{Method: "DELETE", URL: "/token", Status: 405, WantHeader: map[string]string{"Allow": "OPTIONS, POST"}},
		{URL: "/.well-known/openid-configuration?x=%00", Status: 400},
		{URL: "/.well-known/oauth-authorization-server?x=%00", Status: 400},
		{URL: "/o/oauth2/v2/auth?" + good, Status: 200},
		{URL: "/o/oauth2/v2/auth?client_id=x", Status: 401},
		{URL: "/o/oauth2/auth?" + good, Status: 200},
		{URL: "/o/oauth2/auth", Status: 401},
		{Method: "POST", URL: "/o/oauth2/v2/auth", Header: form, Body: good, Status: 303},
		{Method: "POST", URL: "/o/oauth2/v2/auth", Header: form, Body: "a=1&a=2", Status: 400},
		{URL: "/v1/userinfo", Header: bearer, Status: 200, WantHeader: map[string]string{"Cache-Control": "no-store"}},
		{URL: "/v1/userinfo", Status: 401, Contains: []string{"invalid_token"}},
		{Method: "POST", URL: "/v1/userinfo", Header: bearer, Status: 200},
		{Method: "POST", URL: "/v1/userinfo", Status: 401},
		{URL: "/oauth2/v3/userinfo", Header: bearer, Status: 200},
		{URL: "/oauth2/v3/userinfo", Header: map[string]string{"Authorization": "Bearer x"}, Status: 401},
		{URL: "/tokeninfo?access_token=" + h.Token("ada", "video"), Status: 200},
		{URL: "/tokeninfo?access_token=x", Status: 400, Contains: []string{"invalid_token"}},
		{Method: "POST", URL: "/tokeninfo", Header: form, Body: "access_token=" + h.Token("ada"), Status: 200},
		{Method: "POST", URL: "/tokeninfo", Header: form, Body: "access_token=a&id_token=b", Status: 400},
		{URL: "/oauth2/v3/certs", Status: 200, Contains: []string{`"kty":"RSA"`, `"alg":"RS256"`}},
		{URL: "/oauth2/v3/certs?x=%00", Status: 400},
	} {
		routetest.Play(t, seen, s)
	}
	routetest.Coverage(t, h.Module.Routes, seen)
}

// FuzzToken: whatever is sent, the answer is one of the contract's.
func FuzzToken(f *testing.F) {
	config := device.DefaultConfig()
	config.RequestsPerMinute, config.CodesPerMinute, config.CodesPerNetwork = 1<<40, 1<<40, 1<<40
	h := identitytest.SQLite(f, build(config))
	fuzztest.Strings(f, "", "grant_type=x",
		"grant_type="+url.QueryEscape(grantType)+"&client_id=x&device_code=%00",
		"a=b;c=d&%zz", "device_code="+strings.Repeat("A", 5000))
	f.Fuzz(func(t *testing.T, body string) {
		if body == "" {
			return
		}
		r := httptest.NewRequest("POST", "/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := h.Do(r)
		var got map[string]string
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if err != nil || got["error"] == "" || got["error_description"] == "" {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		if w.Code != 400 && w.Code != 401 && w.Code != 413 {
			t.Fatalf("%q: status %d", body, w.Code)
		}
	})
}
