package device_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/device"
)

const (
	back     = "https://app.example/back"
	loopback = "http://127.0.0.1/callback"
	verifier = "a verifier that is long enough for the rules of proof keys"
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// shownPages records what the service hands over to the pages.
type shownPages struct {
	authorization *identity.Authorization
	message       *identity.Message
	user          *identity.User
}

// withPages is build with pages that only record.
func withPages(got *shownPages) identitytest.Build {
	return func(w *world.World, idents *identity.Identity) module.Module {
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
			User: func(*route.Request) (*identity.User, error) { return got.user, nil },
		})
		return device.New(w, idents, grants.New(w, idents), device.DefaultConfig()).Module()
	}
}

func addClient(t *testing.T, h *identitytest.Server, kind identity.ClientType, redirects ...string) (string, string) {
	t.Helper()
	c, secret, err := h.Identity.AddClient(t.Context(), identity.NewClient{
		Name: "app", Type: kind, RedirectURIs: redirects,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID, secret
}

func TestAuthorizeHandsOver(t *testing.T) {
	t.Parallel()
	got := &shownPages{}
	h := identitytest.SQLite(t, withPages(got))
	web, _ := addClient(t, h, identity.ClientWeb, back)
	installed, _ := addClient(t, h, identity.ClientDevice, loopback)
	visit := func(q url.Values) *httptest.ResponseRecorder {
		*got = shownPages{user: got.user}
		return h.Call("GET", "/o/oauth2/v2/auth?"+q.Encode(), "", "Accept: text/html")
	}
	full := func() url.Values {
		return url.Values{
			"client_id": {web}, "redirect_uri": {back}, "response_type": {"code"}, "scope": {"openid video"},
			"state": {"s"}, "nonce": {"n"},
		}
	}
	if w := visit(full()); w.Code != 200 || got.authorization == nil {
		t.Fatalf("a good request: %d %s", w.Code, w.Body)
	}
	a := got.authorization
	if a.Service != "device" || a.Nonce != "n" || a.Issuer != "http://stoa.test" || len(a.Scopes) != 2 ||
		!a.SignInAfter.IsZero() {
		t.Errorf("authorization = %+v", a)
	}
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	for name, row := range map[string]struct {
		change func(url.Values)
		error  string // at the application; empty means told to the user
	}{
		"unknown client":        {set("client_id", "x"), ""},
		"another address":       {set("redirect_uri", back+"/"), ""},
		"a port more":           {set("redirect_uri", "https://app.example:444/back"), ""},
		"two states":            {func(q url.Values) { q.Add("state", "x") }, ""},
		"no response type":      {func(q url.Values) { q.Del("response_type") }, "invalid_request"},
		"another response type": {set("response_type", "id_token"), "unsupported_response_type"},
		"no scope":              {func(q url.Values) { q.Del("scope") }, "invalid_request"},
		"unknown scope":         {set("scope", "openid nonsense"), "invalid_scope"},
		"plain proof":           {set("code_challenge_method", "plain"), "invalid_request"},
		"fragment":              {set("response_mode", "fragment"), "invalid_request"},
		"request object":        {set("request", "x"), "request_not_supported"},
		"request address":       {set("request_uri", "https://a.example/"), "request_uri_not_supported"},
		"long nonce":            {set("nonce", strings.Repeat("n", 513)), "invalid_request"},
		"unknown prompt":        {set("prompt", "x"), "invalid_request"},
		"none and more":         {set("prompt", "none login"), "invalid_request"},
		"none":                  {set("prompt", "none"), "login_required"},
		"a bad age":             {set("max_age", "-1"), "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			q := full()
			row.change(q)
			w := visit(q)
			if w.Header().Get("Location") != "" || got.authorization != nil || got.message == nil || w.Code < 400 {
				t.Fatalf("%d, sent to %q, consent asked: %v", w.Code, w.Header().Get("Location"), got.authorization != nil)
			}
			to, err := url.Parse(got.message.ReturnURL)
			if err != nil || to.Query().Get("error") != row.error {
				t.Fatalf("the link is %q, %v; want it to tell %q", got.message.ReturnURL, err, row.error)
			}
			if row.error != "" && (to.Query().Get("state") != "s" || to.Query().Get("iss") != "http://stoa.test") {
				t.Errorf("the link is %q, want state and issuer", got.message.ReturnURL)
			}
		})
	}
	ada := h.User("ada")
	got.user = &ada
	q := full()
	q.Set("prompt", "none")
	if visit(q); !strings.Contains(got.message.ReturnURL, "error=consent_required") {
		t.Errorf("signed in, without a question: %+v", got.message)
	}
	for name, want := range map[string]time.Duration{
		"prompt=login": 0, "prompt=select_account": 0, "max_age=60": time.Minute,
	} {
		q := full()
		key, value, _ := strings.Cut(name, "=")
		q.Set(key, value)
		if visit(q); got.authorization == nil || !got.authorization.SignInAfter.Equal(h.Clock.Now().Add(-want)) {
			t.Errorf("%s: authorization = %+v", name, got.authorization)
		}
	}
	for address, want := range map[string]int{
		"http://127.0.0.1:51234/callback": 200, loopback: 200, "http://127.0.0.1:51234/other": 400,
		"http://localhost:51234/callback": 400, "http://127.0.0.1:51234@evil.example/callback": 400,
		"https://127.0.0.1:51234/callback": 400, "http://127.0.0.2:51234/callback": 400,
	} {
		q := full()
		q.Set("client_id", installed)
		q.Set("redirect_uri", address)
		q.Set("code_challenge", challenge())
		q.Set("code_challenge_method", "S256")
		if w := visit(q); w.Code != want {
			t.Errorf("%s: %d, want %d", address, w.Code, want)
		}
	}
	q = full()
	q.Set("client_id", installed)
	q.Set("redirect_uri", loopback)
	if w := visit(q); w.Code != 400 {
		t.Errorf("an installed application without a proof key: %d, want 400", w.Code)
	}
	if w := h.Call("GET", "/o/oauth2/auth?client_id=x", ""); w.Code != 401 ||
		!strings.Contains(w.Body.String(), "invalid_client") {
		t.Errorf("a program: %d %s, want the error body", w.Code, w.Body)
	}
	w := post(h, "/o/oauth2/v2/auth", full())
	if to := w.Header().Get("Location"); w.Code != 303 || to != "/o/oauth2/v2/auth?"+full().Encode() {
		t.Errorf("a form: %d %q, want 303 to the same request", w.Code, to)
	}
}

// signedClaims are the claims of an id token whose signature the published keys verify.
func signedClaims(t *testing.T, h *identitytest.Server, token string) map[string]any {
	t.Helper()
	w := h.Call("GET", "/tokeninfo?id_token="+url.QueryEscape(token), "")
	if w.Code != 200 {
		t.Fatalf("tokeninfo: %d %s", w.Code, w.Body)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func object(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return got
}

// TestCodeFlow takes an installed application all the way, on both databases.
func TestCodeFlow(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, withPages(&shownPages{}), func(t *testing.T, h *identitytest.Server) {
		email := "ada@example.test"
		ada, err := h.Identity.AddUser(t.Context(), identity.NewUser{Name: "ada", DisplayName: "Ada L.", Email: email})
		if err != nil {
			t.Fatal(err)
		}
		id, secret := addClient(t, h, identity.ClientDevice, loopback)
		other, otherSecret := addClient(t, h, identity.ClientWeb, loopback)
		signedIn := h.Clock.Now().Add(-time.Minute)
		code := func() string {
			code, err := h.Grants.IssueCode(t.Context(), grants.CodeRequest{
				Service: "device", ClientID: id, RedirectURI: loopback, Scopes: []string{"openid", "email", "profile"},
				UserID: ada.ID, Challenge: challenge(), Nonce: "n-1", SignedInAt: signedIn, TTL: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			return code
		}
		form := func(code string) url.Values {
			return url.Values{
				"grant_type": {"authorization_code"}, "client_id": {id}, "code": {code}, "redirect_uri": {loopback},
				"code_verifier": {verifier},
			}
		}
		for name, row := range map[string]struct {
			change url.Values
			status int
		}{
			"no code":           {url.Values{"code": {""}}, 400},
			"no address":        {url.Values{"redirect_uri": {""}}, 400},
			"another address":   {url.Values{"redirect_uri": {"http://127.0.0.1:1/callback"}}, 400},
			"no proof":          {url.Values{"code_verifier": {""}}, 400},
			"another proof":     {url.Values{"code_verifier": {verifier + "x"}}, 400},
			"a wrong secret":    {url.Values{"client_secret": {"x"}}, 401},
			"an unknown client": {url.Values{"client_id": {"x"}}, 401},
			"another client":    {url.Values{"client_id": {other}, "client_secret": {otherSecret}}, 400},
			"a web application": {url.Values{"client_id": {other}}, 401},
		} {
			f := form(code())
			for key, values := range row.change {
				f[key] = values
			}
			if w := post(h, "/token", f); w.Code != row.status {
				t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, row.status)
			}
		}
		f := form(code())
		f.Set("client_secret", secret)
		tokens := object(t, post(h, "/token", f))
		if tokens["scope"] != "openid email profile" || tokens["refresh_token"] == nil {
			t.Errorf("tokens = %v", tokens)
		}
		idToken, _ := tokens["id_token"].(string)
		access, _ := tokens["access_token"].(string)
		claims := signedClaims(t, h, idToken)
		sum := sha256.Sum256([]byte(access))
		for name, want := range map[string]any{
			"iss": "http://stoa.test", "aud": id, "azp": id, "nonce": "n-1", "email": email, "email_verified": true,
			"name": "Ada L.", "preferred_username": "ada", "auth_time": float64(signedIn.Unix()),
			"iat": float64(h.Clock.Now().Unix()), "exp": float64(h.Clock.Now().Add(time.Hour).Unix()),
			"at_hash": base64.RawURLEncoding.EncodeToString(sum[:16]),
		} {
			if claims[name] != want {
				t.Errorf("%s = %v, want %v", name, claims[name], want)
			}
		}
		info := object(t, h.Call("GET", "/v1/userinfo", "", "Authorization: Bearer "+access))
		if info["sub"] != claims["sub"] || info["email"] != email || info["name"] != "Ada L." {
			t.Errorf("userinfo = %v", info)
		}
		described := object(t, h.Call("GET", "/tokeninfo?access_token="+access, ""))
		if described["aud"] != id || described["scope"] != "openid email profile" || described["expires_in"] != "3600" {
			t.Errorf("tokeninfo = %v", described)
		}
		refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}}
		refresh.Set("refresh_token", tokens["refresh_token"].(string))
		renewed := object(t, post(h, "/token", refresh))
		again := signedClaims(t, h, renewed["id_token"].(string))
		if again["sub"] != claims["sub"] || again["nonce"] != nil || again["auth_time"] != nil {
			t.Errorf("claims after a refresh = %v", again)
		}
		// The code a second time ends everything that came of it.
		if w := post(h, "/token", f); w.Code != 400 {
			t.Errorf("the code again: %d, want 400", w.Code)
		}
		if w := h.Call("GET", "/v1/userinfo", "", "Authorization: Bearer "+access); w.Code != 401 ||
			!strings.Contains(w.Header().Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("the access token after that: %d %v", w.Code, w.Header())
		}
		h.Clock.Advance(time.Hour)
		if w := h.Call("GET", "/tokeninfo?id_token="+idToken, ""); w.Code != 400 {
			t.Errorf("an expired id token: %d, want 400", w.Code)
		}
		for _, hidden := range []string{access, idToken, secret, verifier} {
			if strings.Contains(h.Log.String(), hidden) {
				t.Error("a secret was logged")
			}
		}
	})
}

// A scope says what an application may know.
func TestClaimsFollowScopes(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, withPages(&shownPages{}))
	if _, err := h.Identity.AddUser(t.Context(), identity.NewUser{Name: "ada", Email: "ada@example.test"}); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string][]string{
		"openid": {"sub"}, "email": {"sub", "email", "email_verified"}, "profile": {"sub", "name", "preferred_username"},
	} {
		info := object(t, h.Call("GET", "/v1/userinfo", "", "Authorization: Bearer "+h.Token("ada", scope)))
		for _, name := range want {
			if info[name] == nil {
				t.Errorf("%s: no %s in %v", scope, name, info)
			}
		}
		if len(info) != len(want) {
			t.Errorf("%s: %v, want %v alone", scope, info, want)
		}
	}
	w := h.Call("GET", "/v1/userinfo", "", "Authorization: Bearer "+h.Token("ada", "video"))
	if w.Code != 403 || !strings.Contains(w.Body.String(), "insufficient_scope") {
		t.Errorf("without a scope: %d %s", w.Code, w.Body)
	}
}

// A device that asks for openid is told who decided.
func TestDeviceIDToken(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, withPages(&shownPages{}))
	f := newFlow(t, h)
	var got struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
	}
	w := post(h, "/device/code", url.Values{"client_id": {f.id}, "scope": {"openid video"}})
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	f.device, f.userCode = got.DeviceCode, got.UserCode
	f.decide(true)
	tokens := object(t, post(h, "/token", f.form()))
	idToken, _ := tokens["id_token"].(string)
	if claims := signedClaims(t, h, idToken); claims["aud"] != f.id || claims["auth_time"] != nil {
		t.Errorf("claims = %v", claims)
	}
}
