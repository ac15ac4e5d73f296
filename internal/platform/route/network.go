package route

import (
	"net"
	"net/http"
	"net/netip"

	"stoa.dev/stoa/internal/platform/budget"
)

// Network is whose budget a caller without a credential uses: one IPv4 address,
// or the /64 of IPv6 addresses that one customer usually gets as a whole. Every
// limit per address counts by it.
func Network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}

// Owner is who answers for the work of the request: the caller, or the network
// it comes from.
func (r *Request) Owner() budget.Owner {
	if r.Caller != nil {
		return budget.Caller(r.Caller.LimitKey())
	}
	return budget.Address(Network(r.Request))
}
