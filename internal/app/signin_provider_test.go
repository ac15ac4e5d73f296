package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity/oidc"
)

// browser follows redirects between two servers and fills in their forms.
type browser struct{ *visitor }

func newBrowser(t *testing.T, url string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{&visitor{t: t, url: url, http: &http.Client{Jar: jar}}}
}

// open follows an address wherever it leads.
func (b browser) open(address string) (*url.URL, int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.follow(r)
}

// submit sends the form of a page with the fields that it has already, and others.
func (b browser) submit(at *url.URL, page string, more url.Values) (*url.URL, int, string) {
	b.t.Helper()
	action := regexp.MustCompile(`<form method="post" action="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if action == nil {
		b.t.Fatalf("no form at %s: %s", at, page)
	}
	form := url.Values{}
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	for name, values := range more {
		form[name] = values
	}
	to, err := at.Parse(html.UnescapeString(action[len(action)-1][1]))
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.follow(r)
}

func (b browser) follow(r *http.Request) (*url.URL, int, string) {
	b.t.Helper()
	var last *url.URL
	b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error { last = r.URL; return nil }
	last = r.URL
	code, text := b.do(r)
	return last, code, text
}

// directory is a server that others sign in at: a user with groups and a client.
func directory(t *testing.T) (a *app.App, c oidc.Config) {
	t.Helper()
	a = start(t, config(t), false)
	run := func(name string, values map[string][]string) any {
		t.Helper()
		made, err := a.RunCommand(t.Context(), name, values, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return made
	}
	run("user add", map[string][]string{
		"name": {"ada"}, "password": {"correct horse battery"}, "email": {"ada@dir.test"}, "display-name": {"Ada L."},
	})
	run("org add", map[string][]string{"name": {"staff"}})
	run("org member add", map[string][]string{"org": {"staff"}, "user": {"ada"}})
	client := run("client add", map[string][]string{
		"name": {"the other server"}, "type": {"web"}, "redirect": {"https://later.example/"},
		"scope": {"openid", "profile", "email", "groups"},
	})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(field(t, client, "client_secret")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = oidc.DefaultConfig()
	c.Issuer, c.ClientID, c.ClientSecretFile = a.URL(), field(t, client, "client_id"), secret
	c.Name, c.Scopes = "the directory", []string{"profile", "email", "groups"}
	return a, c
}

// TestSignInAtAnotherServer: users of one server sign in at a second one, which makes
// their accounts and memberships and knows them again.
func TestSignInAtAnotherServer(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Offline = true // a provider on loopback works all the same
	provider, signIn := directory(t)
	var staff oidc.GroupRule
	if err := staff.UnmarshalText([]byte("org/staff=org/acme/owner")); err != nil {
		t.Fatal(err)
	}
	signIn.AllowedDomains, signIn.Groups = []string{"dir.test"}, []oidc.GroupRule{staff}
	c.Identity.OIDC = signIn
	a := start(t, c, false)
	back := a.URL() + "/console/sign-in/provider/answer"
	if _, err := provider.RunCommand(t.Context(), "client set", map[string][]string{
		"client": {signIn.ClientID}, "redirect": {back},
	}, nil); err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string]map[string][]string{
		"user add": {"name": {"ada"}, "password": {"another horse"}}, "org add": {"name": {"acme"}},
	} {
		if _, err := a.RunCommand(t.Context(), name, values, nil); err != nil {
			t.Fatal(err)
		}
	}

	b := newBrowser(t, a.URL())
	_, _, page := b.open(a.URL() + "/console/sign-in?next=/console/tokens")
	link := regexp.MustCompile(`href="(/console/sign-in/provider[^"]+)">Sign in with the directory<`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no button on the sign-in page: %s", page)
	}
	at, code, page := b.open(a.URL() + html.UnescapeString(link[1]))
	if !strings.HasPrefix(at.String(), provider.URL()) || code != http.StatusOK {
		t.Fatalf("the button leads to %s: %d %s", at, code, page)
	}
	at, code, page = b.submit(at, page, url.Values{"name": {"ada"}, "password": {"correct horse battery"}})
	if code != http.StatusOK || !strings.Contains(page, "the other server") {
		t.Fatalf("consent at %s: %d %s", at, code, page)
	}
	at, code, page = b.submit(at, page, url.Values{"decision": {"allow"}})
	if at.Path != "/console/tokens" || at.Host != strings.TrimPrefix(a.URL(), "http://") || code != http.StatusOK {
		t.Fatalf("back at %s: %d %s", at, code, page)
	}
	// The name is taken by a user of this server, who is another person.
	shown, err := a.RunCommand(t.Context(), "user show", map[string][]string{"name": {"ada-2"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"email": "ada@dir.test", "display_name": "Ada L.", "orgs": "name:acme role:owner", "links": provider.URL(),
	} {
		if got := fmt.Sprint(member(t, shown, name)); !strings.Contains(got, want) {
			t.Errorf("%s = %s, want %s in it", name, got, want)
		}
	}

	t.Run("an answer is taken once", func(t *testing.T) {
		unknown := newBrowser(t, a.URL())
		_, code, page := unknown.open(back + "?code=x&state=" + strings.Repeat("0", 32))
		if code != http.StatusBadRequest || !strings.Contains(page, "Sign-in expired") {
			t.Errorf("an answer without a sign-in: %d %s", code, page)
		}
	})
	t.Run("denied", func(t *testing.T) {
		second := newBrowser(t, a.URL())
		at, _, page := second.open(a.URL() + "/console/sign-in/provider")
		at, _, page = second.submit(at, page, url.Values{"name": {"ada"}, "password": {"correct horse battery"}})
		at, code, page := second.submit(at, page, url.Values{"decision": {"deny"}})
		if code != http.StatusForbidden || !strings.Contains(page, "The sign-in was cancelled.") {
			t.Errorf("denied, at %s: %d %s", at, code, page)
		}
	})
	t.Run("away", func(t *testing.T) {
		if err := provider.Close(); err != nil {
			t.Fatal(err)
		}
		at, code, page := newBrowser(t, a.URL()).open(a.URL() + "/console/sign-in/provider/answer?code=x&state=x")
		if code != http.StatusBadRequest {
			t.Errorf("at %s: %d %s", at, code, page)
		}
	})
}

// member is one member of a command's answer.
func member(t *testing.T, result any, name string) any {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out[name]
}

// TestOfflineProvider: offline, a provider elsewhere is not offered and not asked.
func TestOfflineProvider(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Offline, c.Identity.OIDC.Issuer, c.Identity.OIDC.ClientID = true, "https://directory.example", "stoa"
	a := start(t, c, false)
	code, page := get(t, a.URL()+"/console/sign-in", "")
	if code != http.StatusOK || strings.Contains(page, "Sign in with") {
		t.Errorf("sign-in page: %d %s", code, page)
	}
	if code, page := get(t, a.URL()+"/console/sign-in/provider", ""); code != http.StatusNotFound {
		t.Errorf("the provider's page: %d %s", code, page)
	}
}

// TestSignInOnATeamsHost: the provider answers at the one address that it knows, and the
// user is signed in on the host of the team all the same. No other host gets an answer.
func TestSignInOnATeamsHost(t *testing.T) {
	t.Parallel()
	c := config(t)
	provider, signIn := directory(t)
	c.BaseURL, c.Identity.OIDC, c.Articles.Host = "http://localhost", signIn, "localhost"
	a := start(t, c, false)
	const back = "http://localhost/console/sign-in/provider/answer"
	if _, err := provider.RunCommand(t.Context(), "client set", map[string][]string{
		"client": {signIn.ClientID}, "redirect": {back},
	}, nil); err != nil {
		t.Fatal(err)
	}
	listening := a.Address()
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		if strings.HasSuffix(to, ":80") { // every name of this server, without a proxy
			to = listening
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}
	open := func(host string) (*url.URL, int, string) {
		b := newBrowser(t, "http://"+host)
		transport := &http.Transport{DialContext: dial}
		t.Cleanup(transport.CloseIdleConnections)
		b.http.Transport = transport
		at, code, page := b.open("http://" + host + "/console/sign-in/provider?next=/console/tokens")
		if code != http.StatusOK || !strings.HasPrefix(at.String(), provider.URL()) {
			return at, code, page
		}
		at, _, page = b.submit(at, page, url.Values{"name": {"ada"}, "password": {"correct horse battery"}})
		return b.submit(at, page, url.Values{"decision": {"allow"}})
	}
	for _, host := range []string{"lyceum.localhost", "localhost"} {
		at, code, page := open(host)
		if at.Host != host || at.Path != "/console/tokens" || code != http.StatusOK {
			t.Errorf("begun on %s, ended at %s: %d %s", host, at, code, page)
		}
	}
	if at, code, page := open("other.test"); at.Host == "other.test" && at.Path == "/console/tokens" {
		t.Errorf("a host that is not served got an answer: %s: %d %s", at, code, page)
	}
}
