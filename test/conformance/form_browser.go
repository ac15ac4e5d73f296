package conformance

import (
	"context"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Browser keeps cookies and fills in forms. It follows redirects on the server
// and stops at the first that leaves it.
type Browser struct {
	server *Server
	client *http.Client
	base   string
}

// Page is what the browser shows.
type Page struct {
	Status   int
	Header   http.Header
	Text     string
	Location string // where a redirect leads that was not followed
	URL      *url.URL
}

// password is what Server.User gives each user.
const password = "correct horse battery staple"

// Browser opens a browser at a host of the server; empty means its own address.
func (h *Server) Browser(t *testing.T, host string) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{server: h, base: h.URL}
	own, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		b.base = "http://" + host + ":" + own.Port()
	}
	// Every host name leads to the server.
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, own.Host)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	b.client = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Scheme+"://"+r.URL.Host != b.base {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return b
}

// SignedIn is a browser at the host in which the user is signed in. It is kept:
// signing in costs a password hash.
func (h *Server) SignedIn(t *testing.T, name, host string) *Browser {
	t.Helper()
	key := name + "@" + host
	if h.browsers == nil {
		h.browsers = map[string]*Browser{}
	}
	if h.browsers[key] == nil {
		b := h.Browser(t, host)
		b.SignIn(t, name)
		h.browsers[key] = b
	}
	return h.browsers[key]
}

// Get opens a page.
func (b *Browser) Get(t *testing.T, path string) *Page {
	t.Helper()
	return b.send(t, http.MethodGet, path, "")
}

// Post sends a form.
func (b *Browser) Post(t *testing.T, path string, form url.Values) *Page {
	t.Helper()
	return b.send(t, http.MethodPost, path, form.Encode())
}

func (b *Browser) send(t *testing.T, method, path, body string) *Page {
	t.Helper()
	b.server.order(t)
	// The last pages are asked for when the row has ended.
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, b.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	answer, err := b.client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	what := method + " " + answer.Request.URL.RequestURI()
	checkTimes(t, b.server.Clock.Now(), what, answer.Header, text)
	b.server.transcript.write(what, answer.StatusCode, answer.Header, text)
	return &Page{
		Status: answer.StatusCode, Header: answer.Header, Text: string(text),
		Location: answer.Header.Get("Location"), URL: answer.Request.URL,
	}
}

// SignIn signs a user of Server.User in.
func (b *Browser) SignIn(t *testing.T, name string) {
	t.Helper()
	p := b.Post(t, "/console/sign-in", url.Values{"name": {name}, "password": {password}})
	if p.Status != http.StatusOK || !strings.Contains(p.Text, "Sign out") {
		t.Fatalf("signing in as %s: %d %s", name, p.Status, p.Text)
	}
}

// hiddenField matches what a form carries without showing it.
var hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)"(?: autocomplete="[a-z]+")? value="([^"]*)">`)

// mainForm is the form of the page itself, not the one in its head.
var mainForm = regexp.MustCompile(`(?s)<main.*<form method="post" action="([^"]*)">(.*?)</form>`)

// Submit fills in the page's form and sends it.
func (b *Browser) Submit(t *testing.T, p *Page, fields url.Values) *Page {
	t.Helper()
	found := mainForm.FindStringSubmatch(p.Text)
	if found == nil {
		t.Fatalf("there is no form in %d %s", p.Status, p.Text)
	}
	form := url.Values{}
	for _, hidden := range hiddenField.FindAllStringSubmatch(found[2], -1) {
		form.Set(hidden[1], html.UnescapeString(hidden[2]))
	}
	for name, values := range fields {
		form[name] = values
	}
	return b.Post(t, html.UnescapeString(found[1]), form)
}

// Decide answers a consent page and returns the query that the application
// gets.
func (b *Browser) Decide(t *testing.T, path, decision string) url.Values {
	t.Helper()
	p := b.Get(t, path)
	if p.Status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, p.Status, p.Text)
	}
	answer := b.Submit(t, p, url.Values{"decision": {decision}})
	back, err := url.Parse(answer.Location)
	if err != nil || answer.Status != http.StatusSeeOther {
		t.Fatalf("%s at %s: %d %q %s, want a redirect to the application", decision, path, answer.Status, answer.Location,
			answer.Text)
	}
	return back.Query()
}
