package events_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

const (
	exchange   = "/login/oauth/access_token"
	formType   = "Content-Type: application/x-www-form-urlencoded"
	acceptJSON = "Accept: application/json"
)

// flow posts a form and reads the answer, which always has the status 200.
func (h *testServer) flow(t *testing.T, path string, form url.Values) map[string]any {
	t.Helper()
	w := h.Call("POST", path, form.Encode(), formType, acceptJSON)
	out := map[string]any{}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
		t.Fatalf("POST %s %v: %d %v %s", path, form, w.Code, err, w.Body)
	}
	return out
}

func (h *testServer) client(t *testing.T, kind identity.ClientType) (identity.Client, string) {
	t.Helper()
	n := identity.NewClient{Name: "editor", Type: kind, OwnerID: h.User("ada").ID}
	if kind != identity.ClientDevice {
		n.RedirectURIs = []string{"https://app.example/back"}
	}
	c, secret, err := h.Identity.AddClient(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return c, secret
}

// TestDeviceFlow is the flow of a program without a browser, refusals included.
func TestDeviceFlow(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		c, _ := h.client(t, identity.ClientDevice)
		web, _ := h.client(t, identity.ClientWeb)
		refused := func(what, path string, form url.Values, want string) {
			t.Helper()
			if got := h.flow(t, path, form); got["error"] != want {
				t.Errorf("%s: %v, want %s", what, got, want)
			}
		}
		refused("unknown client", "/login/device/code", url.Values{"client_id": {"x"}}, "incorrect_client_credentials")
		refused("web client", "/login/device/code", url.Values{"client_id": {web.ID}}, "device_flow_disabled")
		start := h.flow(t, "/login/device/code", url.Values{"client_id": {c.ID}, "scope": {"repo,read:org unheard:of"}})
		if start["verification_uri"] != "http://stoa.test/login/device" || start["interval"] != 5.0 ||
			start["expires_in"] != 900.0 {
			t.Errorf("the start of a flow: %v", start)
		}
		poll := url.Values{
			"client_id": {c.ID}, "device_code": {start["device_code"].(string)},
			"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
		}
		refused("before the user decides", exchange, poll, "authorization_pending")
		refused("too soon", exchange, poll, "slow_down")
		refused("another code", exchange, url.Values{
			"client_id": {c.ID}, "device_code": {"no"}, "grant_type": poll["grant_type"],
		}, "incorrect_device_code")
		password := url.Values{"client_id": {c.ID}, "grant_type": {"password"}}
		refused("another grant", exchange, password, "unsupported_grant_type")
		g, err := h.Grants.ByUserCode(t.Context(), start["user_code"].(string))
		if err == nil {
			_, err = h.Grants.Decide(t.Context(), g.ID, h.User("ada").ID, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Clock.Advance(10 * time.Second)
		got := h.flow(t, exchange, poll)
		if got["token_type"] != "bearer" || got["scope"] != "repo,read:org" {
			t.Errorf("tokens: %v", got)
		}
		if w := h.Call("GET", "/user", "", "Authorization: token "+got["access_token"].(string)); w.Code != 200 ||
			!strings.Contains(w.Body.String(), `"login":"ada"`) {
			t.Errorf("with the token: %d %s", w.Code, w.Body)
		}
		refused("a second time", exchange, poll, "incorrect_device_code")
	})
}

// TestWebFlow exchanges the code of a consent, and looks after the token.
func TestWebFlow(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		c, secret := h.client(t, identity.ClientWeb)
		code := func() string {
			t.Helper()
			text, err := h.Grants.IssueCode(t.Context(), grants.CodeRequest{
				Service: events.Name, ClientID: c.ID, RedirectURI: "https://app.example/back", Scopes: []string{"contents:read"},
				UserID: h.User("ada").ID, TTL: time.Minute, Format: identity.Format{Alphabet: "0123456789abcdef", Length: 40},
			})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		form := url.Values{"client_id": {c.ID}, "client_secret": {secret}, "code": {code()}}
		for want, wrong := range map[string]url.Values{
			"incorrect_client_credentials": {"client_id": {c.ID}, "client_secret": {"no"}, "code": form["code"]},
			"redirect_uri_mismatch": {
				"client_id": {c.ID}, "client_secret": {secret}, "code": form["code"], "redirect_uri": {"https://other.example"},
			},
			"bad_verification_code": {"client_id": {c.ID}, "client_secret": {secret}, "code": {"no"}},
		} {
			if got := h.flow(t, exchange, wrong); got["error"] != want {
				t.Errorf("%v, want %s", got, want)
			}
		}
		// Without an Accept header the answer is a form.
		w := h.Call("POST", exchange, form.Encode(), formType)
		answer, err := url.ParseQuery(w.Body.String())
		if err != nil || answer.Get("scope") != "contents:read" || answer.Get("access_token") == "" {
			t.Fatalf("the form: %d %s", w.Code, w.Body)
		}
		token := answer.Get("access_token")
		basic := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(c.ID+":"+secret))
		about := func(method, part, token string) (int, map[string]any) {
			w := h.Call(method, "/applications/"+c.ID+part, `{"access_token":"`+token+`"}`, basic,
				"Content-Type: application/json")
			out := map[string]any{}
			_ = json.Unmarshal(w.Body.Bytes(), &out)
			return w.Code, out
		}
		if status, out := about("POST", "/token", token); status != 200 || out["user"].(map[string]any)["login"] != "ada" ||
			out["token_last_eight"] != token[len(token)-8:] {
			t.Errorf("check: %d %v", status, out)
		}
		status, out := about("PATCH", "/token", token)
		fresh, _ := out["token"].(string)
		if status != 200 || fresh == "" || fresh == token {
			t.Fatalf("reset: %d %v", status, out)
		}
		if status, _ := about("POST", "/token", token); status != 404 {
			t.Errorf("the old token: %d", status)
		}
		if status, _ := about("DELETE", "/token", fresh); status != 204 {
			t.Errorf("delete: %d", status)
		}
		if status, _ := about("POST", "/token", fresh); status != 404 {
			t.Errorf("the deleted token: %d", status)
		}
		user := "Authorization: token " + h.Token("ada")
		if w := h.Call("POST", "/applications/"+c.ID+"/token", `{"access_token":"x"}`, user); w.Code != 404 {
			t.Errorf("a user's token: %d", w.Code)
		}
	})
}

// TestDeletedGrant: the application gives up the user, however many times the user allowed it, and no other.
func TestDeletedGrant(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		app, secret := h.client(t, identity.ClientWeb)
		other, _ := h.client(t, identity.ClientWeb)
		issue := func(user, client, family string, kind identity.Kind) string {
			return h.Issue(identity.IssueOptions{
				Kind: kind, Services: []string{events.Name}, UserID: h.User(user).ID, ClientID: client, Family: family,
			})
		}
		presented := issue("ada", app.ID, "", identity.KindAccess)
		gone := []string{
			presented, issue("ada", app.ID, "a", identity.KindAccess), issue("ada", app.ID, "a", identity.KindRefresh),
			issue("ada", app.ID, "b", identity.KindAccess),
		}
		kept := []string{
			issue("bob", app.ID, "c", identity.KindAccess), issue("ada", other.ID, "d", identity.KindAccess), h.Token("ada"),
		}
		w := h.Call("DELETE", "/applications/"+app.ID+"/grant", `{"access_token":"`+presented+`"}`,
			"Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(app.ID+":"+secret)))
		if w.Code != http.StatusNoContent {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		kinds := append(identity.TokenKinds(), identity.KindRefresh)
		for want, secrets := range map[error][]string{identity.ErrRevoked: gone, nil: kept} {
			for n, s := range secrets {
				_, err := h.Identity.Verify(t.Context(), s, identity.Requirement{Service: events.Name, Kinds: kinds})
				if !errors.Is(err, want) {
					t.Errorf("token %d: %v, want %v", n, err, want)
				}
			}
		}
	})
}

// TestAuthorizeRefuses: what cannot be put to the user is told here and not to the address.
func TestAuthorizeRefuses(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		c, _ := h.client(t, identity.ClientWeb)
		var asked *identity.Authorization
		h.Identity.ProvidePages(consentPages(&asked))
		for query, want := range map[string]int{
			"client_id=no": 401,
			"client_id=" + c.ID + "&redirect_uri=https://evil.example/": 400,
			"client_id=" + c.ID + "&response_type=token":                400,
			"client_id=" + c.ID + "&scope=repo&state=s":                 200,
		} {
			if w := h.Call("GET", "/login/oauth/authorize?"+query, ""); w.Code != want {
				t.Errorf("%s: %d %s, want %d", query, w.Code, w.Body, want)
			}
		}
		if asked == nil || asked.State != "s" || asked.RedirectURI != "https://app.example/back" || len(asked.Scopes) < 5 {
			t.Errorf("asked: %+v", asked)
		}
	})
}

// consentPages note what the user would be asked.
func consentPages(asked **identity.Authorization) identity.Pages {
	return identity.Pages{Consent: func(a identity.Authorization) route.Handler {
		*asked = &a
		return func(w http.ResponseWriter, _ *route.Request) error {
			w.WriteHeader(http.StatusOK)
			return nil
		}
	}}
}

// oauthScenarios are one success and one failure of each operation of the flows.
func oauthScenarios(t *testing.T, h *testServer, ada string) []routetest.Scenario {
	t.Helper()
	h.Identity.ProvidePages(consentPages(new(*identity.Authorization)))
	web, secret := h.client(t, identity.ClientWeb)
	device, _ := h.client(t, identity.ClientDevice)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(web.ID+":"+secret))
	token := func() string {
		return `{"access_token":"` + h.Issue(identity.IssueOptions{
			Kind: identity.KindAccess, Services: []string{events.Name}, UserID: h.User("ada").ID, ClientID: web.ID,
			Family: "family",
		}) + `"}`
	}
	code, err := h.Grants.IssueCode(t.Context(), grants.CodeRequest{
		Service: events.Name, ClientID: web.ID, RedirectURI: web.RedirectURIs[0], UserID: h.User("ada").ID, TTL: time.Hour,
		Scopes: []string{"contents:read"}, Format: identity.Format{Alphabet: "0123456789abcdef", Length: 40},
	})
	if err != nil {
		t.Fatal(err)
	}
	of := "/applications/" + web.ID
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	proof := "client_id=" + web.ID + "&client_secret=" + secret
	return []routetest.Scenario{
		{Name: "check a token", Method: "POST", URL: of + "/token", Caller: basic, Body: token(), Status: 200},
		{Name: "check as a user", Method: "POST", URL: of + "/token", Caller: ada, Body: token(), Status: 404},
		{Name: "replace a token", Method: "PATCH", URL: of + "/token", Caller: basic, Body: token(), Status: 200},
		{Name: "replace none", Method: "PATCH", URL: of + "/token", Caller: basic, Body: `{"access_token":"x"}`, Status: 404},
		{Name: "end a token", Method: "DELETE", URL: of + "/token", Caller: basic, Body: token(), Status: 204},
		{Name: "end none", Method: "DELETE", URL: of + "/token", Caller: basic, Body: `{}`, Status: 422},
		{Name: "end a grant", Method: "DELETE", URL: of + "/grant", Caller: basic, Body: token(), Status: 204},
		{Name: "end another's", Method: "DELETE", URL: of + "/grant", Caller: ada, Body: token(), Status: 404},
		{Name: "ask a user", URL: "/login/oauth/authorize?client_id=" + web.ID, Status: 200},
		{Name: "ask for an unknown client", URL: "/login/oauth/authorize?client_id=x", Status: 401},
		{Name: "exchange", Method: "POST", URL: exchange, Header: form, Body: proof + "&code=" + code, Status: 200},
		{Name: "exchange JSON", Method: "POST", URL: exchange, Body: `[`, Status: 415},
		{Name: "start", Method: "POST", URL: "/login/device/code", Header: form, Body: "client_id=" + device.ID, Status: 200},
		{Name: "start with JSON", Method: "POST", URL: "/login/device/code", Body: `[`, Status: 415},
		{Name: "type a code", URL: "/login/device", Status: 303},
		{Name: "type two codes", URL: "/login/device?user_code=a&user_code=b", Status: 400},
	}
}
