package conformance_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// TestAttacks walks through the attacks of RFC 9700 against every flow that
// issues tokens. The numbers are its sections.
func TestAttacks(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{Configure: manyAnonymous})
		h.User(t, "ada")
		site := newWebsite(t, h)
		for name, attack := range conformance.InOrder(map[string]func(*testing.T, *conformance.Server, website){
			"4.1 redirect near misses":       redirectNearMisses,
			"4.2 code in a referrer":         codeInReferrer,
			"4.3 token in the address":       tokenInAddress,
			"4.7 state":                      stateKept,
			"4.5 code replay":                codeReplay,
			"4.5 code injection":             codeInjection,
			"4.7 form from another site":     forgedForm,
			"4.8 proof key downgrade":        proofKeyDowngrade,
			"4.10 refresh token reuse":       refreshReuse,
			"4.10 scope escalation":          scopeEscalation,
			"4.11 open redirect":             openRedirect,
			"4.12 redirect keeps no form":    redirectStatus,
			"4.14 access token as refresh":   tokensConfused,
			"4.16 framing":                   framing,
			"client of another type or none": otherClients,
		}) {
			t.Run(name, func(t *testing.T) { attack(t, h, site) })
		}
	})
}

// nearMisses are addresses that look like the registered one.
func nearMisses() []string {
	return []string{
		"https://app.example/back", "https://app.example/back?", "https://app.example/back?from=stoa&",
		"https://app.example/back?from=stoa&x=1",
		"https://app.example/back?from=stoa#", "https://app.example/back?from=stoa#x", "https://app.example/back/?from=stoa",
		"https://app.example/back//?from=stoa", "https://app.example//back?from=stoa", "https://app.example/./back?from=stoa",
		"https://app.example/x/../back?from=stoa", "https://app.example/back/../back?from=stoa",
		"https://app.example/back%3Ffrom=stoa",
		"https://app.example/%62ack?from=stoa", "https://app.example/back?from=%73toa", "https://app.example/back?FROM=stoa",
		"https://app.example/Back?from=stoa", "https://APP.example/back?from=stoa", "HTTPS://app.example/back?from=stoa",
		"http://app.example/back?from=stoa", "https://app.example:443/back?from=stoa",
		"https://app.example:444/back?from=stoa",
		"https://app.example./back?from=stoa", "https://www.app.example/back?from=stoa",
		"https://app.example.evil.example/back?from=stoa",
		"https://evil.example/back?from=stoa", "https://evil.example/https://app.example/back?from=stoa",
		"https://app.example@evil.example/back?from=stoa",
		"https://evil.example#@app.example/back?from=stoa", `https://evil.example\@app.example/back?from=stoa`, "https://app.exampleevil/back?from=stoa",
		"//app.example/back?from=stoa", "/back?from=stoa", "back?from=stoa", "app.example/back?from=stoa",
		" https://app.example/back?from=stoa",
		"https://app.example/back?from=stoa ", "https://app.example/back?from=stoa\t", "https://app.example/back\n?from=stoa",
		"https://app.example/bаck?from=stoa",
		"https://[::1]/back?from=stoa", "javascript://app.example/back?from=stoa",
		"data:text/html,https://app.example/back?from=stoa", "*", "",
	}
}

func redirectNearMisses(t *testing.T, h *conformance.Server, site website) {
	if n := len(nearMisses()); n < 40 {
		t.Fatalf("%d near misses, want at least 40", n)
	}
	browser := h.SignedIn(t, "ada", "")
	for _, miss := range nearMisses() {
		p := browser.Get(t, site.authorizePath(url.Values{"redirect_uri": {miss}}))
		if p.Status != http.StatusBadRequest || p.Location != "" || strings.Contains(p.Text, `value="allow"`) {
			t.Errorf("%q: %d, Location %q; want to be refused on a page", miss, p.Status, p.Location)
		}
		a := h.Do(t, conformance.Call{Path: "/api/v2/oauth/authorize?" + url.Values{
			"client_id": {site.id}, "scope": {"read_svc"}, "redirect_uri": {miss},
		}.Encode()})
		// The article contract knows no redirect_uri, so an empty one is none.
		if miss != "" && a.Status != http.StatusBadRequest {
			t.Errorf("articles, %q: %d, want 400", miss, a.Status)
		}
		code := site.code(t, nil)
		site.redeem(t, code, url.Values{"redirect_uri": {miss}}).Refused(t)
		if miss == "*" {
			// What was refused has not used the code up.
			site.redeem(t, code, nil).Want(t, http.StatusOK)
		}
	}
	p := browser.Get(t, site.authorizePath(nil)+"&redirect_uri="+url.QueryEscape("https://evil.example"))
	if p.Status != http.StatusBadRequest || p.Location != "" {
		t.Errorf("two addresses: %d %q, want to be refused on a page", p.Status, p.Location)
	}
}

func codeInReferrer(t *testing.T, h *conformance.Server, site website) {
	p := h.SignedIn(t, "ada", "").Get(t, site.authorizePath(nil))
	if got := p.Header.Get("Referrer-Policy"); got != "same-origin" {
		t.Errorf("Referrer-Policy: got %q", got)
	}
}

func tokenInAddress(t *testing.T, h *conformance.Server, site website) {
	access, _ := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
	for _, name := range []string{"access_token", "token", "oauth_token", "bearer", "key"} {
		h.Do(t, conformance.Call{Path: "/apis/v4/nothing?" + name + "=" + access}).Want(t, http.StatusUnauthorized)
		h.Do(t, conformance.Call{Path: "/api/v2/authenticated_user?" + name + "=" + access}).Want(t, http.StatusUnauthorized)
	}
}

// stateKept: a state comes back as it was sent, none when none was, and one that was sent
// twice is refused: a client that checks it is not led astray.
func stateKept(t *testing.T, h *conformance.Server, site website) {
	browser := h.SignedIn(t, "ada", "")
	for _, state := range []string{"a b&c=d+%", strings.Repeat("s", 512), "\u00e9\U0001f3db", ""} {
		for _, decision := range []string{"allow", "deny"} {
			got := browser.Decide(t, site.authorizePath(url.Values{"state": {state}}), decision)
			if got.Get("state") != state || len(got["state"]) != 1 {
				t.Errorf("%s: state %q comes back as %q", decision, state, got["state"])
			}
		}
	}
	if got := browser.Decide(t, site.authorizePath(nil), "allow"); got.Has("state") {
		t.Errorf("a state was made up: %q", got["state"])
	}
	p := browser.Get(t, site.authorizePath(url.Values{"state": {"a", "b"}}))
	if strings.Contains(p.Text, `value="allow"`) {
		t.Errorf("two states: %d, want them refused", p.Status)
	}
}

func codeReplay(t *testing.T, h *conformance.Server, site website) {
	code := site.code(t, nil)
	access, refresh := analyticsPair(t, site.redeem(t, code, nil))
	oauthRefused(t, site.redeem(t, code, nil), http.StatusBadRequest, "invalid_grant")
	// Whichever came first: what the code gave is taken back.
	if got := dataStatus(t, h, access); got != http.StatusUnauthorized {
		t.Errorf("the token of a replayed code: %d, want 401", got)
	}
	oauthRefused(t, site.refresh(t, refresh), http.StatusBadRequest, "invalid_grant")
}

func codeInjection(t *testing.T, h *conformance.Server, site website) {
	code := site.code(t, nil)
	evil := newWebsite(t, h)
	oauthRefused(t, evil.redeem(t, code, nil), http.StatusBadRequest, "invalid_grant")
	stolen := evil
	stolen.id = site.id
	oauthRefused(t, stolen.redeem(t, code, nil), http.StatusUnauthorized, "invalid_client")
	// A code of one service is nothing at another.
	article := reader{h: h, id: site.id, secret: site.secret}
	articleRefused(t, article.exchange(t, "", "access_tokens", code), http.StatusBadRequest, "bad_request")
	site.redeem(t, code, nil).Want(t, http.StatusOK)
}

func forgedForm(t *testing.T, h *conformance.Server, site website) {
	browser := h.SignedIn(t, "ada", "")
	p := browser.Get(t, site.authorizePath(nil))
	if p.Status != http.StatusOK {
		t.Fatalf("consent: %d", p.Status)
	}
	forged := browser.Submit(t, p, url.Values{"decision": {"allow"}, "form": {"guessed"}})
	if forged.Status != http.StatusForbidden || forged.Location != "" {
		t.Errorf("a form without the session's token: %d %q, want 403", forged.Status, forged.Location)
	}
}

func proofKeyDowngrade(t *testing.T, h *conformance.Server, site website) {
	verifier := strings.Repeat("v", 43)
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	proven := url.Values{"code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	for name, row := range conformance.InOrder(map[string]struct {
		asked, shown url.Values
		status       int
	}{
		"with its proof":    {proven, url.Values{"code_verifier": {verifier}}, http.StatusOK},
		"without the proof": {proven, nil, http.StatusBadRequest},
		"with another proof": {
			proven, url.Values{"code_verifier": {strings.Repeat("w", 43)}}, http.StatusBadRequest,
		},
		"with the challenge as proof":    {proven, url.Values{"code_verifier": {challenge}}, http.StatusBadRequest},
		"a proof that was not asked for": {nil, url.Values{"code_verifier": {verifier}}, http.StatusBadRequest},
	}) {
		if a := site.redeem(t, site.code(t, row.asked), row.shown); a.Status != row.status {
			t.Errorf("%s: %v, want %d", name, a, row.status)
		}
	}
	browser := h.SignedIn(t, "ada", "")
	id, _ := client(t, h, "device", map[string][]string{"redirect": {webBack}})
	public := website{h: h, id: id}
	for name, row := range conformance.InOrder(map[string]struct {
		site  website
		asked url.Values
	}{
		"plain":                      {site, url.Values{"code_challenge": {verifier}, "code_challenge_method": {"plain"}}},
		"no method":                  {site, url.Values{"code_challenge": {challenge}}},
		"malformed":                  {site, url.Values{"code_challenge": {"x"}, "code_challenge_method": {"S256"}}},
		"a public client without":    {public, nil},
		"a public client with plain": {public, url.Values{"code_challenge": {verifier}, "code_challenge_method": {"plain"}}},
	}) {
		p := browser.Get(t, row.site.authorizePath(row.asked))
		refusedOnPage(t, name, p)
	}
	code := browser.Decide(t, public.authorizePath(proven), "allow").Get("code")
	public.redeem(t, code, url.Values{"client_secret": nil, "code_verifier": {verifier}}).Want(t, http.StatusOK)
}

// refusedOnPage: a wrong request is refused on a page of this server. A redirect before the user
// decided would lend this host's name to any address (RFC 9700, 4.11.2).
func refusedOnPage(t *testing.T, name string, p *conformance.Page) {
	t.Helper()
	if p.Status != http.StatusBadRequest || p.Location != "" || strings.Contains(p.Text, `value="allow"`) {
		t.Errorf("%s: %d, Location %q; want to be refused on a page", name, p.Status, p.Location)
	}
}

func refreshReuse(t *testing.T, h *conformance.Server, site website) {
	_, first := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
	_, second := analyticsPair(t, site.refresh(t, first))
	evil := newWebsite(t, h)
	oauthRefused(t, evil.refresh(t, second), http.StatusBadRequest, "invalid_grant")
	access, third := analyticsPair(t, site.refresh(t, second))
	oauthRefused(t, site.refresh(t, first), http.StatusBadRequest, "invalid_grant")
	// A copy is in other hands: the whole family ends.
	oauthRefused(t, site.refresh(t, third), http.StatusBadRequest, "invalid_grant")
	if got := dataStatus(t, h, access); got != http.StatusUnauthorized {
		t.Errorf("the newest access token: %d, want 401", got)
	}

	tv := newTelevision(t, h)
	tv.decide(t, "approve", "ada")
	old := conformance.Text(t, tv.poll(t).Want(t, http.StatusOK).Object(t), "refresh_token")
	form := url.Values{"client_id": {tv.id}, "grant_type": {"refresh_token"}, "refresh_token": {old}}
	fresh := conformance.Text(t, oauthForm(t, h, "/token", form).Want(t, http.StatusOK).Object(t), "access_token")
	// Refresh tokens of devices do not rotate: revoking any token of the grant ends them.
	oauthForm(t, h, "/revoke", url.Values{"token": {fresh}}).Want(t, http.StatusOK)
	oauthRefused(t, oauthForm(t, h, "/token", form), http.StatusBadRequest, "invalid_grant")
}

func scopeEscalation(t *testing.T, h *conformance.Server, site website) {
	_, refresh := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
	oauthRefused(t, oauthForm(t, h, "/oauth2/access_token", url.Values{
		"client_id": {site.id}, "client_secret": {site.secret}, "grant_type": {"refresh_token"}, "refresh_token": {refresh},
		"scope": {"user.id siteaudit.info"},
	}), http.StatusBadRequest, "invalid_scope")
	// A scope of another service is none of this one's.
	p := h.SignedIn(t, "ada", "").Get(t, site.authorizePath(url.Values{"scope": {"write_svc"}}))
	refusedOnPage(t, "another service's scope", p)
	// The sealed request cannot be changed on its way through the browser.
	browser := h.SignedIn(t, "ada", "")
	page := browser.Get(t, site.authorizePath(nil))
	if changed := browser.Submit(t, page, url.Values{
		"decision": {"allow"}, "request": {"AQAAAAAAAAAAe30"},
	}); changed.Status != http.StatusBadRequest {
		t.Errorf("a request of one's own making: %d, want 400", changed.Status)
	}
}

func openRedirect(t *testing.T, h *conformance.Server, site website) {
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/\t/evil.example"} {
		p := h.Browser(t, "").Post(t, "/console/sign-in", url.Values{
			"name": {"ada"}, "password": {"correct horse battery staple"}, "next": {next},
		})
		if p.Location != "" || p.URL.Path != "/console" {
			t.Errorf("next=%q leads to %q", next, p.Location)
		}
	}
	p := h.Browser(t, "").Get(t, (website{h: h, id: "unknown"}).authorizePath(nil))
	if p.Location != "" {
		t.Errorf("an unknown client redirects to %q", p.Location)
	}
}

func redirectStatus(t *testing.T, h *conformance.Server, site website) {
	browser := h.SignedIn(t, "ada", "")
	p := browser.Submit(t, browser.Get(t, site.authorizePath(nil)), url.Values{"decision": {"allow"}})
	if p.Status != http.StatusSeeOther {
		t.Errorf("status: got %d, want 303: 307 would post the form to the application", p.Status)
	}
}

func tokensConfused(t *testing.T, h *conformance.Server, site website) {
	access, refresh := analyticsPair(t, site.redeem(t, site.code(t, nil), nil))
	oauthRefused(t, site.refresh(t, access), http.StatusBadRequest, "invalid_grant")
	if got := dataStatus(t, h, refresh); got != http.StatusUnauthorized {
		t.Errorf("a refresh token as an access token: %d, want 401", got)
	}
	// A token of one service opens no other.
	h.Do(t, conformance.Call{Path: "/api/v2/authenticated_user", Bearer: access}).Want(t, http.StatusUnauthorized)
}

func framing(t *testing.T, h *conformance.Server, site website) {
	p := h.SignedIn(t, "ada", "").Get(t, site.authorizePath(nil))
	if !strings.Contains(p.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
		p.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("headers = %v", p.Header)
	}
}

func otherClients(t *testing.T, h *conformance.Server, site website) {
	tv := newTelevision(t, h)
	thief := newTelevision(t, h)
	tv.decide(t, "approve", "ada")
	thief.code = tv.code
	oauthRefused(t, thief.poll(t), http.StatusBadRequest, "invalid_grant")
	d := &dag{h: h, code: tv.code}
	oauthRefused(t, d.poll(t), http.StatusBadRequest, "invalid_grant")
	tv.poll(t).Want(t, http.StatusOK)
}
