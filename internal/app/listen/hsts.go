package listen

import (
	"net/http"
	"net/netip"
	"strings"

	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// hstsValue keeps browsers on HTTPS for a year (RFC 6797). Hosts below are not
// included: they need not be this server's.
const hstsValue = "max-age=31536000"

// withHSTS sets the header on every answer of the TLS listener. A browser
// does not note it for an address (RFC 6797 section 8.1.1), and localhost is shared
// with whatever else runs on the machine, on every port.
func withHSTS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hstsHost(r.Host) {
			w.Header().Set("Strict-Transport-Security", hstsValue)
		}
		next.ServeHTTP(w, r)
	})
}

func hstsHost(host string) bool {
	if host == "" || clientaddr.LoopbackHost(host) {
		return false
	}
	if _, err := netip.ParseAddrPort(host); err == nil {
		return false
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err != nil
}
