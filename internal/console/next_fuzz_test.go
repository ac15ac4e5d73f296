package console

import (
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// Where to go after signing in is on this server, however a browser reads it.
func FuzzNext(f *testing.F) {
	fuzztest.Strings(f, "/console", "//host", `/\host`, "/\t/host", "https://host", "/a?b=//c#d", "/%2f/host",
		"/..//host", "javascript:x", "/a\r\nb", "/@host", "///host", "/é")
	server, err := url.Parse("https://server.example/console/signin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := safeNext(raw)
		// Browsers drop tabs and line breaks and take a backslash for a slash.
		read := strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(strings.TrimSpace(got))
		u, err := server.Parse(read)
		if err != nil || u.Host != server.Host || u.Scheme != server.Scheme {
			t.Errorf("%q leads to %q: %v, %v", raw, got, u, err)
		}
	})
}

// The policy of a page cannot be ended by an address that was registered.
func FuzzOrigin(f *testing.F) {
	fuzztest.Strings(f, "https://host/cb", "com.example.app:/cb", "https://host;script-src *", "/path",
		"http://[::1]:80/", "https://a b", "https://'unsafe-inline'", "x:")
	f.Fuzz(func(t *testing.T, redirect string) {
		got := strings.TrimPrefix(origin(redirect), " ")
		if strings.ContainsAny(got, " ;,'*\t\r\n") {
			t.Errorf("%q gives %q", redirect, got)
		}
	})
}
