package clientaddr

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Network is whose budget a caller without a credential uses: one IPv4 address,
// or the /64 of IPv6 addresses that one customer usually gets as a whole. Every
// limit per address counts by it.
func Network(r *http.Request) string {
	ip, ok := client(r)
	if !ok || ip.Is4() {
		return Address(r)
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}

// Address is where the request came from, for the user to recognise. Nothing
// counts by it: one customer has many.
func Address(r *http.Request) string {
	host := remoteHost(r)
	ip, ok := client(r)
	if !ok || ip.Is4() && !strings.Contains(host, ":") {
		return host // an IPv4 address has one form only
	}
	return ip.String()
}

// remoteHost is the address as the listener wrote it, without the port.
func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Loopback reports whether the request came from this machine.
func Loopback(r *http.Request) bool {
	ip, ok := client(r)
	return ok && ip.IsLoopback()
}

// LoopbackHost reports whether a Host header names the client's own machine:
// localhost, what is below it, or a loopback address.
func LoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// client is the address without port and zone, an IPv4 address in its own form.
func client(r *http.Request) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(remoteHost(r))
	return ip.Unmap().WithZone(""), err == nil
}

// SetLoopback makes a request that the process makes of itself one of this machine.
func SetLoopback(r *http.Request) { r.RemoteAddr = "127.0.0.1:0" }

// Copy gives a request that is made inside the process the address of the one it is
// made for.
func Copy(to, from *http.Request) { to.RemoteAddr = from.RemoteAddr }

// Peer is a request as it would come over a connection, for the questions above.
func Peer(c net.Conn) *http.Request { return &http.Request{RemoteAddr: c.RemoteAddr().String()} }
