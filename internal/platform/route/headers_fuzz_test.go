package route_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// The name of a request cannot forge a line of the log or flood it.
func FuzzRequestID(f *testing.F) {
	fuzztest.Strings(f, "abc-1.2_3", "", "a b", "a\nb", strings.Repeat("a", 65), "é", "\x00")
	source := ids.Seeded(1)
	f.Fuzz(func(t *testing.T, header string) {
		got := route.RequestID(&http.Request{Header: http.Header{"X-Request-Id": {header}}}, source)
		if got == "" || len(got) > 64 || strings.ContainsFunc(got,
			func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"\=`, r) }) {
			t.Errorf("%q: got %q", header, got)
		}
	})
}

// All addresses of a network are counted as one, and what is no address is
// still counted.
func FuzzNetwork(f *testing.F) {
	fuzztest.Strings(f, "192.0.2.1:80", "[2001:db8::1]:80", "[::ffff:192.0.2.1]:80", "2001:db8::1", "[fe80::1%eth0]:80",
		"@", "", "[::1]", "192.0.2.1")
	f.Fuzz(func(t *testing.T, remote string) {
		r := &http.Request{RemoteAddr: remote}
		got := clientaddr.Network(r)
		if at, err := netip.ParseAddrPort(remote); err == nil && at.Addr().Zone() == "" {
			ip := at.Addr().Unmap().WithZone("")
			if p, err := netip.ParsePrefix(got); ip.Is6() && (err != nil || p.Bits() != 64 || !p.Contains(ip)) || ip.Is4() &&
				got != ip.String() {
				t.Errorf("%q: got %q", remote, got)
			}
		}
		if clientaddr.Loopback(r) && !strings.Contains(remote, "127.") && !strings.Contains(remote, ":") {
			t.Errorf("%q is taken for this machine", remote)
		}
		clientaddr.Address(r)
		clientaddr.LoopbackHost(remote)
	})
}
