package identity

import (
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/redirects"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// An address that may be registered leads where it says: https, this machine, a
// scheme of an application, or this server, and the answer stays behind it.
func FuzzRedirect(f *testing.F) {
	fuzztest.Strings(f,
		"https://app.example/cb", "http://127.0.0.1:8080/cb", "http://localhost/", "http://[::1]/",
		"com.example.app:/cb", "/done?x=1", "//host", `/\host`, "https://*.example/",
		"https://a@b/", "javascript:alert(1)", "https://h/#f", "http://127.0.0.1.evil.example/", "https://h/?",
		"http://[::1%25lo]/", "https://%61/", "https:///x", "/a?b&", "data.x:y",
	)
	server := &url.URL{Scheme: "https", Host: "server.example", Path: "/"}
	f.Fuzz(func(t *testing.T, raw string) {
		if redirects.Problem(raw) != "" {
			return
		}
		u, err := server.Parse(raw)
		switch {
		case err != nil || u.User != nil || u.Fragment != "" || strings.ContainsAny(raw, "\\# \t\r\n"):
			t.Errorf("%q is accepted: %v", raw, err)
		case u.Scheme == "https" && u.Host == "", u.Scheme == "http" && !redirects.IsLoopback(u.Hostname()):
			t.Errorf("%q is accepted for %q", raw, u.Host)
		case strings.HasPrefix(raw, "/") && u.Host != server.Host:
			t.Errorf("%q leaves the server for %q", raw, u.Host)
		case u.Scheme == "javascript" || u.Scheme == "data" || u.Scheme == "file" || u.Scheme == "blob":
			t.Errorf("%q runs in the browser", raw)
		}
		RedirectHost(raw)
		a := Authorization{RedirectURI: raw, State: "s\r\n&x=y", HasState: true}
		back, err := server.Parse(a.RedirectWith(url.Values{"error": {"no & no"}}))
		if err != nil || back.Query().Get("state") != a.State || back.Host != u.Host || back.Path != u.Path {
			t.Errorf("%q: the answer goes to %v, %v", raw, back, err)
		}
	})
}
