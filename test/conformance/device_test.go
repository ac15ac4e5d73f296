package conformance_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

type opener = func(*testing.T, conformance.Options) *conformance.Server

// oauthForm sends a form to a token endpoint.
func oauthForm(t *testing.T, h *conformance.Server, path string, form url.Values) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{
		Method: http.MethodPost, Path: path, Body: form.Encode(),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	})
}

// client registers an application.
func client(t *testing.T, h *conformance.Server, kind string, more map[string][]string) (id, secret string) {
	t.Helper()
	values := map[string][]string{"name": {"Television"}, "type": {kind}}
	for name, list := range more {
		values[name] = list
	}
	made := h.Command(t, "client add", values)
	return conformance.Text(t, made, "client_id"), conformance.Text(t, made, "client_secret")
}

// television is a device with its flow.
type television struct {
	h          *conformance.Server
	id, secret string
	code, user string
}

func newTelevision(t *testing.T, h *conformance.Server) *television {
	t.Helper()
	id, secret := client(t, h, "device", nil)
	tv := &television{h: h, id: id, secret: secret}
	tv.begin(t, "video")
	return tv
}

func (tv *television) request(t *testing.T, scope string) *conformance.Answer {
	t.Helper()
	return oauthForm(t, tv.h, "/device/code", url.Values{"client_id": {tv.id}, "scope": {scope}})
}

func (tv *television) begin(t *testing.T, scope string) map[string]any {
	t.Helper()
	answer := tv.request(t, scope).Want(t, http.StatusOK).Object(t)
	tv.code, tv.user = conformance.Text(t, answer, "device_code"), conformance.Text(t, answer, "user_code")
	return answer
}

func (tv *television) poll(t *testing.T) *conformance.Answer {
	t.Helper()
	return oauthForm(t, tv.h, "/token", url.Values{
		"client_id": {tv.id}, "client_secret": {tv.secret}, "device_code": {tv.code}, "grant_type": {deviceGrant},
	})
}

func (tv *television) decide(t *testing.T, what, user string) {
	t.Helper()
	tv.h.Command(t, "grant "+what, map[string][]string{"user_code": {tv.user}, "user": {user}})
}

// oauthRefused checks status, error word and that a description is there.
func oauthRefused(t *testing.T, a *conformance.Answer, status int, code string) {
	t.Helper()
	object := a.Want(t, status).Object(t)
	if got := conformance.Text(t, object, "error"); got != code {
		t.Errorf("error: got %q, want %q in %v", got, code, a)
	}
	if conformance.Text(t, object, "error_description") == "" {
		t.Errorf("error_description is empty in %v", a)
	}
	conformance.Only(t, object, "error", "error_description")
}

// TestDevice proves J-01 to J-33.
func TestDevice(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "ada")
		t.Run("codes", func(t *testing.T) { deviceCodes(t, h) })
		t.Run("tokens", func(t *testing.T) { deviceTokens(t, h, open) })
		t.Run("states", func(t *testing.T) { deviceStates(t, h, open) })
		t.Run("endpoints", func(t *testing.T) { deviceEndpoints(t, h, open) })
		t.Run("errors", func(t *testing.T) { deviceErrors(t, h, open) })
	})
}

func deviceCodes(t *testing.T, h *conformance.Server) {
	tv := newTelevision(t, h)
	answer := tv.begin(t, "video.readonly video.upload")
	t.Run("J-01", func(t *testing.T) {
		for _, name := range []string{"device_code", "user_code", "verification_url"} {
			if conformance.Text(t, answer, name) == "" {
				t.Errorf("%s is empty", name)
			}
		}
		if conformance.Integer(t, answer, "expires_in") < 1 || conformance.Integer(t, answer, "interval") < 1 {
			t.Errorf("lifetimes = %v, want seconds above 0", answer)
		}
	})
	t.Run("J-02", func(t *testing.T) {
		printable := regexp.MustCompile(`^[\x21-\x7e]+$`)
		for _, name := range []string{"user_code", "verification_url"} {
			if got := conformance.Text(t, answer, name); !printable.MatchString(got) {
				t.Errorf("%s: got %q, want printable ASCII", name, got)
			}
		}
	})
	browser := h.SignedIn(t, "ada", "")
	typed := func(t *testing.T, code string) *conformance.Page {
		t.Helper()
		return browser.Submit(t, browser.Get(t, "/device"), url.Values{"user_code": {code}})
	}
	t.Run("J-03", func(t *testing.T) {
		p := typed(t, strings.ToLower(tv.user))
		if p.Status != http.StatusBadRequest || !strings.Contains(p.Text, "capital letters") ||
			!strings.Contains(p.Text, tv.user) || strings.Contains(p.Text, `value="allow"`) {
			t.Errorf("lower case: %d %s, want 400 and the code as it is shown", p.Status, p.Text)
		}
		if p := typed(t, tv.user); p.Status != http.StatusOK {
			t.Errorf("as shown: %d, want 200", p.Status)
		}
	})
	t.Run("J-04", func(t *testing.T) {
		other := newTelevision(t, h)
		p := typed(t, tv.user)
		for _, want := range []string{"See your account", "Manage your videos", "/auth/video.readonly", "Television"} {
			if !strings.Contains(p.Text, want) {
				t.Errorf("the page does not say %q:\n%s", want, p.Text)
			}
		}
		if strings.Contains(p.Text, "Manage your account") {
			t.Error("the page lists a scope of another code")
		}
		tv.decide(t, "approve", "ada")
		oauthRefused(t, other.poll(t), http.StatusPreconditionRequired, "authorization_pending")
		tv.poll(t).Want(t, http.StatusOK)
	})
	t.Run("J-19", func(t *testing.T) {
		if len(tv.user) > 15 {
			t.Errorf("user_code %q is longer than 15", tv.user)
		}
	})
	t.Run("J-20", func(t *testing.T) {
		if !regexp.MustCompile(`^[A-Z]{4}-[A-Z]{4}$`).MatchString(tv.user) {
			t.Errorf("user_code = %q, want letters and a hyphen that are shown as they are", tv.user)
		}
		fresh := newTelevision(t, h)
		for _, text := range []string{strings.ReplaceAll(fresh.user, "-", ""), strings.ReplaceAll(fresh.user, "-", " ")} {
			if p := typed(t, text); p.Status != http.StatusOK {
				t.Errorf("%q: %d, want the code to be known without its hyphen", text, p.Status)
			}
		}
	})
	t.Run("J-21", func(t *testing.T) {
		if got := conformance.Text(t, answer, "verification_url"); len(got) > 40 {
			t.Errorf("verification_url %q is longer than 40", got)
		}
	})
}

func deviceTokens(t *testing.T, h *conformance.Server, open opener) {
	t.Run("J-05", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.begin(t, "video.upload video.readonly")
		tv.decide(t, "approve", "ada")
		answer := tv.poll(t).Want(t, http.StatusOK)
		object := answer.Object(t)
		if got := conformance.Text(t, object, "token_type"); got != "Bearer" {
			t.Errorf("token_type: got %q", got)
		}
		if conformance.Integer(t, object, "expires_in") < 1 || conformance.Text(t, object, "access_token") == "" {
			t.Errorf("token = %v", object)
		}
		if got := conformance.Text(t, object, "scope"); got != "video.upload video.readonly" {
			t.Errorf("scope: got %q, want the spelling that was asked for", got)
		}
		full := h.URL + "/auth/video.upload " + h.URL + "/auth/video.readonly"
		tv.begin(t, full)
		tv.decide(t, "approve", "ada")
		if got := conformance.Text(t, tv.poll(t).Want(t, http.StatusOK).Object(t), "scope"); got != full {
			t.Errorf("scope: got %q, want %q", got, full)
		}
		if answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("Cache-Control: got %q, want no-store", answer.Header.Get("Cache-Control"))
		}
	})
	t.Run("J-06", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "approve", "ada")
		object := tv.poll(t).Want(t, http.StatusOK).Object(t)
		refresh := func(token string) *conformance.Answer {
			return oauthForm(t, h, "/token", url.Values{
				"client_id": {tv.id}, "refresh_token": {token}, "grant_type": {"refresh_token"},
			})
		}
		token := conformance.Text(t, object, "refresh_token")
		refresh(token).Want(t, http.StatusOK)
		h.Clock.Advance(time.Hour)
		renewed := refresh(token).Want(t, http.StatusOK).Object(t)
		if got := conformance.Text(t, renewed, "refresh_token"); got != token {
			t.Errorf("refresh_token: got %q, want the one that stays valid", got)
		}
		access := conformance.Text(t, renewed, "access_token")
		oauthForm(t, h, "/revoke", url.Values{"token": {access}}).Want(t, http.StatusOK)
		oauthRefused(t, refresh(conformance.Text(t, renewed, "refresh_token")), http.StatusBadRequest, "invalid_grant")
	})
	t.Run("J-07", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "approve", "ada")
		if object := tv.poll(t).Want(t, http.StatusOK).Object(t); object["refresh_token_expires_in"] != nil {
			t.Errorf("refresh_token_expires_in is there although access is not time-limited: %v", object)
		}
		limited := open(t, conformance.Options{Configure: func(c *app.Config) { c.Device.RefreshTTL = time.Hour }})
		limited.User(t, "ada")
		tv = newTelevision(t, limited)
		tv.decide(t, "approve", "ada")
		object := tv.poll(t).Want(t, http.StatusOK).Object(t)
		if got := conformance.Integer(t, object, "refresh_token_expires_in"); got != 3600 {
			t.Errorf("refresh_token_expires_in: got %d, want 3600", got)
		}
	})
	t.Run("J-08", func(t *testing.T) {
		tv := newTelevision(t, h)
		for _, name := range []string{
			"video", "video.channel-memberships.creator", "video.force-ssl", "video.readonly", "video.upload",
			"videopartner", "videopartner-channel-audit",
		} {
			tv.request(t, h.URL+"/auth/"+name).Want(t, http.StatusOK)
		}
		oauthRefused(t, tv.request(t, h.URL+"/auth/nonsense"), http.StatusBadRequest, "invalid_scope")
	})
}

func deviceStates(t *testing.T, h *conformance.Server, open opener) {
	t.Run("J-09", func(t *testing.T) {
		oauthRefused(t, newTelevision(t, h).poll(t), http.StatusPreconditionRequired, "authorization_pending")
	})
	t.Run("J-10", func(t *testing.T) {
		tv := newTelevision(t, h)
		for range 3 {
			oauthRefused(t, tv.poll(t), http.StatusPreconditionRequired, "authorization_pending")
			h.Clock.Advance(5 * time.Second)
		}
	})
	t.Run("J-11", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.poll(t).Want(t, http.StatusPreconditionRequired)
		h.Clock.Advance(time.Second)
		oauthRefused(t, tv.poll(t), http.StatusForbidden, "slow_down")
		tv.decide(t, "approve", "ada")
		h.Clock.Advance(5 * time.Second)
		tv.poll(t).Want(t, http.StatusOK)
	})
	t.Run("J-12", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.poll(t).Want(t, http.StatusPreconditionRequired)
		tv.decide(t, "approve", "ada")
		tv.poll(t).Want(t, http.StatusOK)
	})
	t.Run("J-13", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "deny", "ada")
		oauthRefused(t, tv.poll(t), http.StatusForbidden, "access_denied")
	})
	t.Run("J-14", func(t *testing.T) {
		own := open(t, conformance.Options{})
		own.User(t, "ada")
		tv := newTelevision(t, own)
		own.Clock.Advance(30 * time.Minute)
		oauthRefused(t, tv.poll(t), http.StatusBadRequest, "expired_token")
		browser := own.SignedIn(t, "ada", "")
		p := browser.Submit(t, browser.Get(t, "/device"), url.Values{"user_code": {tv.user}})
		if !strings.Contains(p.Text, "expired") {
			t.Errorf("typing an expired code: %d %s", p.Status, p.Text)
		}
		tv.begin(t, "video")
		tv.decide(t, "approve", "ada")
		tv.poll(t).Want(t, http.StatusOK)
	})
}

func deviceEndpoints(t *testing.T, h *conformance.Server, open opener) {
	t.Run("J-15", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.request(t, "video video.upload").Want(t, http.StatusOK)
		for _, form := range []url.Values{{"scope": {"video"}}, {"client_id": {tv.id}}} {
			oauthRefused(t, oauthForm(t, h, "/device/code", form), http.StatusBadRequest, "invalid_request")
		}
		h.Do(t, conformance.Call{Method: "POST", Path: "/device/code", Body: `{"client_id":"x"}`}).Refused(t)
	})
	t.Run("J-16", func(t *testing.T) {
		for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"} {
			document := h.Do(t, conformance.Call{Path: path}).Want(t, http.StatusOK).Object(t)
			got := conformance.Text(t, document, "device_authorization_endpoint")
			if want := h.URL + "/device/code"; got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
			if got := conformance.Text(t, document, "issuer"); got != h.URL {
				t.Errorf("issuer: got %q, want %q", got, h.URL)
			}
		}
	})
	t.Run("J-17", func(t *testing.T) {
		tv := newTelevision(t, h)
		oauthRefused(t, tv.poll(t), http.StatusPreconditionRequired, "authorization_pending")
		tv.decide(t, "approve", "ada")
		tv.poll(t).Want(t, http.StatusOK)
		oauthRefused(t, tv.poll(t), http.StatusBadRequest, "invalid_grant")
	})
	t.Run("J-18", func(t *testing.T) { devicePage(t, h, "allow") })
	t.Run("J-22", func(t *testing.T) { deviceWithoutScheme(t, open) })
	t.Run("J-23", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "approve", "ada")
		right := tv.secret
		for _, wrong := range []string{"", "wrong"} {
			tv.secret = wrong
			oauthRefused(t, tv.poll(t), http.StatusUnauthorized, "invalid_client")
		}
		tv.secret = right
		tv.poll(t).Want(t, http.StatusOK)
	})
}

// deviceWithoutScheme opens the address as a user types it: the browser may
// take either scheme.
func deviceWithoutScheme(t *testing.T, open opener) {
	h := open(t, conformance.Options{Configure: func(c *app.Config) { c.Listen.HTTPS = "127.0.0.1:0" }})
	page, err := url.Parse(conformance.Text(t, newTelevision(t, h).begin(t, "video"), "verification_url"))
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Transport: &http.Transport{
		// The local authority is not what this row is about.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	for _, base := range []string{h.URL, h.HTTPS} {
		answer, err := browser.Get(base + page.Path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "Sign in") {
			t.Errorf("GET %s%s: %d %s", base, page.Path, answer.StatusCode, text)
		}
	}
}

// devicePage opens the address, signs in, types the code and decides.
func devicePage(t *testing.T, h *conformance.Server, decision string) {
	tv := newTelevision(t, h)
	browser := h.Browser(t, "")
	p := browser.Get(t, "/device")
	p = browser.Submit(t, p, url.Values{"name": {"ada"}, "password": {"correct horse battery staple"}})
	if p.URL.Path != "/device" {
		t.Fatalf("after signing in: at %s, want /device", p.URL)
	}
	p = browser.Submit(t, p, url.Values{"user_code": {tv.user}})
	p = browser.Submit(t, p, url.Values{"decision": {decision}})
	if !strings.Contains(p.Text, "Device connected") {
		t.Fatalf("after the decision: %d %s", p.Status, p.Text)
	}
	tv.poll(t).Want(t, http.StatusOK)
}

func deviceErrors(t *testing.T, h *conformance.Server, open opener) {
	t.Run("J-24", func(t *testing.T) {
		a := newTelevision(t, h).poll(t)
		oauthRefused(t, a, http.StatusPreconditionRequired, "authorization_pending")
		if got := conformance.Text(t, a.Object(t), "error_description"); got != "Precondition Required" {
			t.Errorf("error_description: got %q", got)
		}
	})
	t.Run("J-25", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.poll(t)
		h.Clock.Advance(time.Second)
		a := tv.poll(t)
		oauthRefused(t, a, http.StatusForbidden, "slow_down")
		if got := conformance.Text(t, a.Object(t), "error_description"); got != "Forbidden" {
			t.Errorf("error_description: got %q", got)
		}
	})
	t.Run("J-26", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "deny", "ada")
		a := tv.poll(t)
		oauthRefused(t, a, http.StatusForbidden, "access_denied")
		if got := conformance.Text(t, a.Object(t), "error_description"); got != "Forbidden" {
			t.Errorf("error_description: got %q", got)
		}
	})
	t.Run("J-27", func(t *testing.T) {
		own := open(t, conformance.Options{Configure: func(c *app.Config) { c.Device.CodesPerMinute = 2 }})
		tv, other := newTelevision(t, own), newTelevision(t, own)
		tv.request(t, "video").Want(t, http.StatusOK)
		object := tv.request(t, "video").Want(t, http.StatusForbidden).Object(t)
		conformance.Only(t, object, "error_code")
		if got := conformance.Text(t, object, "error_code"); got != "rate_limit_exceeded" {
			t.Errorf("error_code: got %q", got)
		}
		other.request(t, "video").Want(t, http.StatusOK)
	})
	t.Run("J-28", func(t *testing.T) {
		h.User(t, "grace")
		h.Command(t, "org add", map[string][]string{"name": {"strict"}})
		h.Command(t, "org member add", map[string][]string{"org": {"strict"}, "user": {"grace"}})
		h.Command(t, "org forbid", map[string][]string{"org": {"strict"}, "scope": {"video.upload"}})
		tv := newTelevision(t, h)
		tv.begin(t, "video.upload")
		tv.decide(t, "approve", "grace")
		oauthRefused(t, tv.poll(t), http.StatusBadRequest, "admin_policy_enforced")
	})
	t.Run("J-29", func(t *testing.T) {
		unknown := &television{h: h, id: strings.Repeat("0", 40), secret: "x", code: "x"}
		oauthRefused(t, unknown.request(t, "video"), http.StatusUnauthorized, "invalid_client")
		oauthRefused(t, unknown.poll(t), http.StatusUnauthorized, "invalid_client")
		id, secret := client(t, h, "web", map[string][]string{"redirect": {"https://app.example/back"}})
		web := &television{h: h, id: id, secret: secret, code: "x"}
		oauthRefused(t, web.request(t, "video"), http.StatusUnauthorized, "invalid_client")
		oauthRefused(t, web.poll(t), http.StatusUnauthorized, "invalid_client")
	})
	t.Run("J-30", func(t *testing.T) {
		tv := newTelevision(t, h)
		tv.decide(t, "approve", "ada")
		tv.poll(t).Want(t, http.StatusOK)
		oauthRefused(t, tv.poll(t), http.StatusBadRequest, "invalid_grant")
		for _, code := range []string{strings.Repeat("A", 43), "%%%", "x y", strings.Repeat("A", 4000)} {
			tv.code = code
			oauthRefused(t, tv.poll(t), http.StatusBadRequest, "invalid_grant")
		}
	})
	t.Run("J-31", func(t *testing.T) {
		tv := newTelevision(t, h)
		oauthRefused(t, oauthForm(t, h, "/token", url.Values{
			"client_id": {tv.id}, "client_secret": {tv.secret}, "device_code": {tv.code}, "grant_type": {"x"},
		}), http.StatusBadRequest, "unsupported_grant_type")
	})
	t.Run("J-32", func(t *testing.T) {
		h.Command(t, "org add", map[string][]string{"name": {"inner"}})
		id, secret := client(t, h, "device", map[string][]string{"org": {"inner"}, "internal": {"true"}})
		tv := &television{h: h, id: id, secret: secret}
		tv.begin(t, "video")
		tv.decide(t, "approve", "ada")
		oauthRefused(t, tv.poll(t), http.StatusForbidden, "org_internal")
	})
	t.Run("J-33", func(t *testing.T) {
		tv := newTelevision(t, h)
		for _, form := range []url.Values{
			{},
			{"grant_type": {"x"}},
			{"grant_type": {deviceGrant}},
			{"grant_type": {deviceGrant, deviceGrant}},
			{"grant_type": {deviceGrant}, "client_id": {tv.id}, "client_secret": {tv.secret}},
		} {
			object := oauthForm(t, h, "/token", form).Refused(t).Object(t)
			conformance.Only(t, object, "error", "error_description")
		}
	})
}
