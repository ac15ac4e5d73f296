package identity

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// An address that may be registered leads where it says: https, this machine, a
// scheme of an application, or this server, and the answer stays behind it.
func FuzzRedirect(f *testing.F) {
	fuzztest.Strings(f,
		"https://app.example/cb", "http://127.0.0.1:8080/cb", "http://localhost/", "http://[::1]/", "com.example.app:/cb", "/done?x=1", "//host", `/\host`, "https://*.example/",
		"https://a@b/", "javascript:alert(1)", "https://h/#f", "http://127.0.0.1.evil.example/", "https://h/?", "http://[::1%25lo]/", "https://%61/", "https:///x", "/a?b&", "data.x:y",
	)
	server := &url.URL{Scheme: "https", Host: "server.example", Path: "/"}
	f.Fuzz(func(t *testing.T, raw string) {
		err := checkRedirect(raw)
		var invalid *InvalidError
		if err != nil {
			if !errors.As(err, &invalid) {
				t.Errorf("%q: got %v, want an *InvalidError", raw, err)
			}
			return
		}
		u, err := server.Parse(raw)
		switch {
		case err != nil || u.User != nil || u.Fragment != "" || strings.ContainsAny(raw, "\\# \t\r\n"):
			t.Errorf("%q is accepted: %v", raw, err)
		case u.Scheme == "https" && u.Host == "", u.Scheme == "http" && !isLoopback(u.Hostname()):
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

// A challenge has 256 bits and one spelling; a verifier proves its own.
func FuzzChallenge(f *testing.F) {
	fuzztest.Strings(f, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\r\n", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", strings.Repeat("A", 43), strings.Repeat("A", 44), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM")
	f.Fuzz(func(t *testing.T, text string) {
		if ok := CheckChallenge(text); ok && (len(text) != 43 || strings.ContainsAny(text, "+/=\r\n")) {
			t.Errorf("%q is taken for a challenge", text)
		}
		if (Grant{challenge: text}).verifies("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") && text != "" && text != "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" {
			t.Errorf("the challenge %q is proved", text)
		}
	})
}

// A stored hash is read as it was written, or refused.
func FuzzPasswordHash(f *testing.F) {
	cost := Passwords{MemoryKiB: 64, Passes: 1, Threads: 1}
	fuzztest.Strings(f, encodePassword(cost, []byte("salt"), []byte("sum")), "", "$argon2id$v=19$m=1,t=0,p=0$$", "$argon2id$v=19$m=-1,t=1,p=999$YQ$YQ")
	f.Fuzz(func(t *testing.T, phc string) {
		cost, salt, sum, err := decodePassword(phc)
		if err != nil {
			if !errors.Is(err, errPasswordHash) {
				t.Errorf("got %v", err)
			}
			return
		}
		again, salt2, sum2, err := decodePassword(encodePassword(cost, salt, sum))
		if err != nil || again.MemoryKiB != cost.MemoryKiB || string(salt2) != string(salt) || string(sum2) != string(sum) {
			t.Errorf("%q is read as %+v %x %x, then %+v %x %x, %v", phc, cost, salt, sum, again, salt2, sum2, err)
		}
	})
}
