package device_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// server is a demo world.
type server struct {
	*world.Server
	env map[string]string
}

// start serves with a short interval: the clients wait it out on the machine's
// clock.
func start(t *testing.T) *server {
	t.Helper()
	s := world.Serve(t, world.Options{Env: []string{"STOA_DEVICE_INTERVAL=1s", "STOA_ANALYTICS_INTERVAL=1s"}})
	return &server{Server: s, env: s.Env}
}

func (s *server) url(path string) string { return s.env["STOA_URL"] + path }

// decide is what the user does on another device.
func (s *server) decide(t *testing.T, what, userCode string) {
	t.Helper()
	s.Command(t, "grant", what, userCode, "--user", s.env["STOA_USER"])
}

var (
	action = regexp.MustCompile(`(?s)<main.*<form method="post" action="([^"]*)">(.*?)</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)">`)
)

// consent signs in and allows what the address asks for; it returns what the
// application gets.
func (s *server) consent(t *testing.T, address string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), s.env["STOA_URL"]+"/") {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page := read(t, browser, address)
	page, _ = s.submit(t, browser, page, url.Values{"name": {s.env["STOA_USER"]}, "password": {s.env["STOA_PASSWORD"]}})
	_, to := s.submit(t, browser, page, url.Values{"decision": {"allow"}})
	back, err := url.Parse(to)
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("the browser was sent to %q", to)
	}
	return back.Query()
}

func read(t *testing.T, browser *http.Client, address string) string {
	t.Helper()
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *server) submit(t *testing.T, browser *http.Client, page string, fields url.Values) (text, location string) {
	t.Helper()
	found := action.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no form in %s", page)
	}
	for _, f := range hidden.FindAllStringSubmatch(found[2], -1) {
		fields.Set(f[1], html.UnescapeString(f[2]))
	}
	answer, err := browser.PostForm(s.url(html.UnescapeString(found[1])), fields)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), answer.Header.Get("Location")
}
