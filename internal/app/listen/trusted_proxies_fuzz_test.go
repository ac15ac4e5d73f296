package listen

import (
	"net/http"
	"net/netip"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// Whatever the header says, the client is an address that no trusted proxy has,
// and a peer that is not trusted is not listened to.
func FuzzForwardedFor(f *testing.F) {
	fuzztest.Strings(f,
		"203.0.113.9", "203.0.113.9, 10.0.0.1", "10.0.0.2, 10.0.0.1", "::ffff:10.0.0.1,203.0.113.9",
		"fe80::1%eth0, 10.0.0.1", "203.0.113.9, fd00::1%a]b",
		" 2001:db8::1 ,10.0.0.1", ",,,", "203.0.113.9:443", "[2001:db8::1]:1", "unknown", "\"203.0.113.9\"",
	)
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{Header: http.Header{"X-Forwarded-For": {header}}, RemoteAddr: "10.0.0.1:99"}
		client, ok := forwardedFor(trusted, r)
		if ok && (!client.IsValid() || client.Is4In6() || client.Zone() != "" || contains(trusted, client)) {
			t.Errorf("%q: got %v", header, client)
		}
		r.RemoteAddr = "203.0.113.1:99"
		if client, ok := forwardedFor(trusted, r); ok {
			t.Errorf("%q of an unknown peer: got %v", header, client)
		}
	})
}
