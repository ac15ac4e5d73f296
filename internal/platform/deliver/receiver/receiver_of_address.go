package receiver

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Of is the host and port of an address that was checked, in one spelling: lower case, without a dot at the end and
// without the port that the scheme has anyway. Another port is another receiver.
func Of(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		// The brackets of a literal address stay.
		return strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return net.JoinHostPort(host, port)
}
