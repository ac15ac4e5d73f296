package conformance_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

const webBack = "https://app.example/back?from=stoa"

// TestAnalyticsOAuth proves K-08 to K-23, K-28 and K-29.
func TestAnalyticsOAuth(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "ada")
		t.Run("device", func(t *testing.T) { analyticsDevice(t, h, open) })
		t.Run("code", func(t *testing.T) { analyticsCode(t, h, open) })
	})
}

// dag is one device flow.
type dag struct {
	h          *conformance.Server
	code, user string
	started    map[string]any
	clientID   string
}

func newDag(t *testing.T, h *conformance.Server, form url.Values) *dag {
	t.Helper()
	d := &dag{h: h, clientID: form.Get("client_id")}
	call := conformance.Call{Method: http.MethodPost, Path: "/dag/device/code"}
	if len(form) > 0 {
		call.Body, call.Header = form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	}
	d.started = h.Do(t, call).Want(t, http.StatusOK).Object(t)
	d.code, d.user = conformance.Text(t, d.started, "device_code"), conformance.Text(t, d.started, "user_code")
	return d
}

func (d *dag) poll(t *testing.T) *conformance.Answer {
	t.Helper()
	form := url.Values{"grant_type": {deviceGrant}, "device_code": {d.code}}
	if d.clientID != "" {
		form.Set("client_id", d.clientID)
	}
	return oauthForm(t, d.h, "/dag/device/token", form)
}

func (d *dag) decide(t *testing.T, what, user string) {
	t.Helper()
	d.h.Command(t, "grant "+what, map[string][]string{"user_code": {d.user}, "user": {user}})
}

// analyticsPair checks a token response and returns both tokens.
func analyticsPair(t *testing.T, a *conformance.Answer) (access, refresh string) {
	t.Helper()
	object := a.Want(t, http.StatusOK).Object(t)
	conformance.Only(t, object, "access_token", "token_type", "expires_in", "refresh_token")
	if got := conformance.Text(t, object, "token_type"); got != "Bearer" {
		t.Errorf("token_type: got %q", got)
	}
	if got := conformance.Integer(t, object, "expires_in"); got != 604800 {
		t.Errorf("expires_in: got %d, want 604800", got)
	}
	return conformance.Text(t, object, "access_token"), conformance.Text(t, object, "refresh_token")
}

// dataStatus is 404 for a good token at a path that no method has, else 401.
func dataStatus(t *testing.T, h *conformance.Server, token string) int {
	t.Helper()
	a := h.Do(t, conformance.Call{Path: "/apis/v4/nothing/here", Bearer: token})
	if got := conformance.Integer(t, a.Object(t), "meta", "status_code"); int(got) != a.Status {
		t.Errorf("meta.status_code: got %d in %v", got, a)
	}
	return a.Status
}

func analyticsDevice(t *testing.T, h *conformance.Server, open opener) {
	t.Run("K-12", func(t *testing.T) {
		d := newDag(t, h, url.Values{"scope": {"user.id,siteaudit.info"}})
		conformance.Only(t, d.started, "device_code", "user_code", "verification_uri", "expires_in", "interval")
		if got, want := conformance.Text(
			t, d.started, "verification_uri",
		), h.URL+"/dag/auth/verify_code?code="+d.user; got != want {
			t.Errorf("verification_uri: got %q, want %q", got, want)
		}
	})
	t.Run("K-13", func(t *testing.T) {
		own := open(t, conformance.Options{})
		own.User(t, "ada")
		d := newDag(t, own, nil)
		life, interval := conformance.Integer(t, d.started, "expires_in"), conformance.Integer(t, d.started, "interval")
		for range 3 {
			oauthRefused(t, d.poll(t), http.StatusPreconditionRequired, "authorization_pending")
			own.Clock.Advance(time.Duration(interval) * time.Second)
		}
		own.Clock.Advance(time.Duration(life) * time.Second)
		oauthRefused(t, d.poll(t), http.StatusBadRequest, "expired_token")
	})
	t.Run("K-14", func(t *testing.T) {
		newDag(t, h, nil)
		newDag(t, h, url.Values{"scope": {"user.id"}})
		oauthRefused(t, oauthForm(t, h, "/dag/device/code", url.Values{"scope": {"nonsense"}}), http.StatusBadRequest,
			"invalid_scope")
	})
	t.Run("K-15", func(t *testing.T) {
		d := newDag(t, h, nil)
		d.decide(t, "approve", "ada")
		oauthRefused(t, oauthForm(t, h, "/dag/device/token", url.Values{"device_code": {d.code}}),
			http.StatusBadRequest, "invalid_request")
		oauthRefused(t, oauthForm(t, h, "/dag/device/token", url.Values{"grant_type": {deviceGrant}}),
			http.StatusBadRequest, "invalid_request")
		analyticsPair(t, d.poll(t))
	})
	t.Run("K-16", func(t *testing.T) {
		a := newDag(t, h, nil).poll(t)
		oauthRefused(t, a, http.StatusPreconditionRequired, "authorization_pending")
		if a.Object(t)["meta"] != nil {
			t.Errorf("the common envelope is used: %v", a)
		}
	})
	t.Run("K-17", func(t *testing.T) { analyticsErrors(t, h, open) })
	t.Run("K-18", func(t *testing.T) {
		d := newDag(t, h, nil)
		browser := h.Browser(t, "")
		there, err := url.Parse(conformance.Text(t, d.started, "verification_uri"))
		if err != nil {
			t.Fatal(err)
		}
		p := browser.Submit(t, browser.Get(t, there.RequestURI()), url.Values{
			"name": {"ada"}, "password": {"correct horse battery staple"},
		})
		if !strings.Contains(p.Text, d.user) {
			t.Fatalf("the page does not show the code %s to compare:\n%s", d.user, p.Text)
		}
		p = browser.Submit(t, p, url.Values{"user_code": {d.user}})
		p = browser.Submit(t, p, url.Values{"decision": {"allow"}})
		if p.Status != http.StatusOK {
			t.Fatalf("allow: %d %s", p.Status, p.Text)
		}
		analyticsPair(t, d.poll(t))
		denied := newDag(t, h, nil)
		denied.decide(t, "deny", "ada")
		oauthRefused(t, denied.poll(t), http.StatusForbidden, "access_denied")
	})
	t.Run("K-19", func(t *testing.T) {
		h.User(t, "grace")
		first, second := newDag(t, h, nil), newDag(t, h, nil)
		first.decide(t, "approve", "ada")
		second.decide(t, "approve", "grace")
		a, _ := analyticsPair(t, first.poll(t))
		b, refresh := analyticsPair(t, second.poll(t))
		if a == b {
			t.Error("two tenants share a token")
		}
		// Ending one tenant's grant leaves the other alone.
		again := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}}
		oauthForm(t, h, "/oauth2/access_token", again).Want(t, http.StatusOK)
		h.Clock.Advance(time.Minute)
		oauthForm(t, h, "/oauth2/access_token", again).Refused(t)
		if got := dataStatus(t, h, a); got != http.StatusNotFound {
			t.Errorf("the other tenant's token: %d, want it to work", got)
		}
		if got := dataStatus(t, h, b); got != http.StatusUnauthorized {
			t.Errorf("the ended token: %d, want 401", got)
		}
	})
	t.Run("K-28", func(t *testing.T) {
		d := newDag(t, h, nil)
		d.decide(t, "approve", "ada")
		token, refresh := analyticsPair(t, d.poll(t))
		for _, wrong := range []string{"", "nonsense", refresh} {
			if got := dataStatus(t, h, wrong); got != http.StatusUnauthorized {
				t.Errorf("token %q: %d, want 401", wrong, got)
			}
		}
		if got := dataStatus(t, h, token); got != http.StatusNotFound {
			t.Errorf("a good token: %d, want 404 of an unknown path", got)
		}
	})
}

func analyticsErrors(t *testing.T, h *conformance.Server, open opener) {
	d := newDag(t, h, nil)
	oauthRefused(t, d.poll(t), http.StatusPreconditionRequired, "authorization_pending")
	h.Clock.Advance(time.Second)
	oauthRefused(t, d.poll(t), http.StatusForbidden, "slow_down")
	d.decide(t, "deny", "ada")
	oauthRefused(t, d.poll(t), http.StatusForbidden, "access_denied")
	oauthRefused(t, oauthForm(t, h, "/dag/device/token", url.Values{"grant_type": {"x"}, "device_code": {d.code}}),
		http.StatusBadRequest, "unsupported_grant_type")
	oauthRefused(t, (&dag{h: h, code: strings.Repeat("0", 64)}).poll(t), http.StatusBadRequest, "invalid_grant")
	// The flow needs no client: one that is not registered is as good as none, a
	// registered one has to be who it says.
	known, _ := client(t, h, "web", map[string][]string{"redirect": {"https://known.example/done"}})
	oauthRefused(t, oauthForm(t, h, "/dag/device/token", url.Values{
		"grant_type": {deviceGrant}, "device_code": {d.code}, "client_id": {known}, "client_secret": {"wrong"},
	}), http.StatusUnauthorized, "invalid_client")

	h.User(t, "hypatia")
	h.Command(t, "org add", map[string][]string{"name": {"museum"}})
	h.Command(t, "org member add", map[string][]string{"org": {"museum"}, "user": {"hypatia"}})
	h.Command(t, "org forbid", map[string][]string{"org": {"museum"}, "scope": {"siteaudit.info"}})
	forbidden := newDag(t, h, url.Values{"scope": {"siteaudit.info"}})
	forbidden.decide(t, "approve", "hypatia")
	oauthRefused(t, forbidden.poll(t), http.StatusBadRequest, "admin_policy_enforced")

	id, _ := client(t, h, "device", map[string][]string{"org": {"museum"}, "internal": {"true"}})
	internal := newDag(t, h, url.Values{"client_id": {id}})
	internal.decide(t, "approve", "ada")
	oauthRefused(t, internal.poll(t), http.StatusForbidden, "org_internal")

	own := open(t, conformance.Options{Configure: func(c *app.Config) { c.Analytics.CodesPerMinute = 1 }})
	newDag(t, own, nil)
	object := own.Do(t, conformance.Call{
		Method: "POST", Path: "/dag/device/code",
	}).Want(t, http.StatusForbidden).Object(t)
	if got := conformance.Text(t, object, "error_code"); got != "rate_limit_exceeded" {
		t.Errorf("error_code: got %q", got)
	}
}

// website is a client of the code flow.
type website struct {
	h          *conformance.Server
	id, secret string
}

func newWebsite(t *testing.T, h *conformance.Server) website {
	t.Helper()
	id, secret := client(t, h, "web", map[string][]string{"redirect": {webBack}})
	return website{h, id, secret}
}

func (w website) authorizePath(more url.Values) string {
	q := url.Values{"client_id": {w.id}, "redirect_uri": {webBack}, "response_type": {"code"}, "scope": {"user.id"}}
	for name, values := range more {
		q[name] = values
	}
	return "/oauth2/authorize?" + q.Encode()
}

// code is what the browser brings back after a yes.
func (w website) code(t *testing.T, more url.Values) string {
	t.Helper()
	browser := w.h.SignedIn(t, "ada", "")
	return browser.Decide(t, w.authorizePath(more), "allow").Get("code")
}

func (w website) redeem(t *testing.T, code string, more url.Values) *conformance.Answer {
	t.Helper()
	form := url.Values{
		"client_id": {w.id}, "client_secret": {w.secret}, "grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {webBack},
	}
	for name, values := range more {
		form[name] = values
	}
	return oauthForm(t, w.h, "/oauth2/access_token", form)
}

func (w website) refresh(t *testing.T, token string) *conformance.Answer {
	t.Helper()
	return oauthForm(t, w.h, "/oauth2/access_token", url.Values{
		"client_id": {w.id}, "client_secret": {w.secret}, "grant_type": {"refresh_token"}, "refresh_token": {token},
	})
}

func analyticsCode(t *testing.T, h *conformance.Server, open opener) {
	site := newWebsite(t, h)
	t.Run("K-08", func(t *testing.T) {
		analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
		d := newDag(t, h, nil)
		d.decide(t, "approve", "ada")
		analyticsPair(t, d.poll(t))
	})
	t.Run("K-09", func(t *testing.T) {
		own := open(t, conformance.Options{})
		own.User(t, "ada")
		d := newDag(t, own, nil)
		d.decide(t, "approve", "ada")
		token, _ := analyticsPair(t, d.poll(t))
		own.Clock.Advance(604799 * time.Second)
		if got := dataStatus(t, own, token); got != http.StatusNotFound {
			t.Errorf("a second before the end: %d, want the token to work", got)
		}
		own.Clock.Advance(time.Second)
		if got := dataStatus(t, own, token); got != http.StatusUnauthorized {
			t.Errorf("after seven days: %d, want 401", got)
		}
	})
	t.Run("K-10", func(t *testing.T) {
		own := open(t, conformance.Options{})
		own.User(t, "ada")
		site := newWebsite(t, own)
		_, early := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
		_, late := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
		own.Clock.Advance(30*24*time.Hour - time.Second)
		analyticsPair(t, site.refresh(t, early))
		own.Clock.Advance(time.Second)
		oauthRefused(t, site.refresh(t, late), http.StatusBadRequest, "invalid_grant")
	})
	t.Run("K-11", func(t *testing.T) {
		access, refresh := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
		newAccess, newRefresh := analyticsPair(t, site.refresh(t, refresh))
		if newAccess == access || newRefresh == refresh {
			t.Error("the refresh returned an old token")
		}
		sameAccess, sameRefresh := analyticsPair(t, site.refresh(t, refresh))
		if sameAccess != newAccess || sameRefresh != newRefresh {
			t.Error("the repetition gave another pair")
		}
	})
	t.Run("K-20", func(t *testing.T) {
		browser := h.SignedIn(t, "ada", "")
		got := browser.Decide(t, site.authorizePath(url.Values{"state": {"a b&c"}}), "allow")
		if !regexp.MustCompile(`^[A-Za-z0-9]{40}$`).MatchString(got.Get("code")) || got.Get("state") != "a b&c" ||
			got.Get("from") != "stoa" {
			t.Errorf("query = %v, want code, state and the registered query", got)
		}
		got = browser.Decide(t, site.authorizePath(nil), "deny")
		if got.Get("error") != "access_denied" || got.Has("code") || got.Has("state") {
			t.Errorf("query after a no = %v", got)
		}
	})
	t.Run("K-21", func(t *testing.T) {
		code := site.code(t, nil)
		for _, missing := range []string{"client_id", "client_secret", "grant_type", "code", "redirect_uri"} {
			site.redeem(t, code, url.Values{missing: nil}).Refused(t)
		}
		analyticsPair(t, site.redeem(t, code, nil))
		oauthRefused(t, site.redeem(t, code, nil), http.StatusBadRequest, "invalid_grant")
	})
	t.Run("K-22", func(t *testing.T) {
		_, refresh := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
		access, _ := analyticsPair(t, site.refresh(t, refresh))
		if got := dataStatus(t, h, access); got != http.StatusNotFound {
			t.Errorf("the new token: %d, want it to work", got)
		}
	})
	t.Run("K-23", func(t *testing.T) {
		body := `{"client_id":"` + site.id + `","client_secret":"` + site.secret +
			`","grant_type":"authorization_code","code":"` +
			site.code(t, nil) + `","redirect_uri":"` + webBack + `"}`
		h.Do(t, conformance.Call{Method: "POST", Path: "/oauth2/access_token", Body: body}).Refused(t)
	})
	t.Run("K-29", func(t *testing.T) {
		d := newDag(t, h, nil)
		d.decide(t, "approve", "ada")
		analyticsPair(t, d.poll(t))
		unknown := website{h: h, id: strings.Repeat("0", 40), secret: "x"}
		oauthRefused(t, unknown.redeem(t, site.code(t, nil), nil), http.StatusUnauthorized, "invalid_client")
		if p := h.Browser(t, "").Get(t, unknown.authorizePath(nil)); p.Status != http.StatusUnauthorized ||
			p.Location != "" {
			t.Errorf("authorize without a client: %d %q", p.Status, p.Location)
		}
	})
}
