package listen

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// BehindProxies lets the named proxies say who the client is. Every limit per
// address relies on RemoteAddr, so it is set to the client's address: the last
// one in X-Forwarded-For that is not itself a trusted proxy. What other
// peers write into the header counts for nothing.
func BehindProxies(trusted []netip.Prefix, next http.Handler) http.Handler {
	if len(trusted) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if client, ok := forwardedFor(trusted, r); ok {
			r = r.Clone(r.Context())
			r.RemoteAddr = net.JoinHostPort(client.String(), "0")
		}
		next.ServeHTTP(w, r)
	})
}

// forwardedFor walks the header from its end, where the nearest proxy wrote.
func forwardedFor(trusted []netip.Prefix, r *http.Request) (netip.Addr, bool) {
	if !trustedPeer(trusted, r) {
		return netip.Addr{}, false
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return netip.Addr{}, false
		}
		// A zone means something on the proxy's machine only, and is any text.
		if hop = hop.Unmap().WithZone(""); !contains(trusted, hop) {
			return hop, true
		}
	}
	return netip.Addr{}, false
}

// trustedPeer reports whether a request comes from a trusted proxy itself.
func trustedPeer(trusted []netip.Prefix, r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && contains(trusted, peer.Addr())
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}
