package listen

import (
	"net"
	"net/url"
	"strings"
)

// LinkWarning says what is wrong with the address in links, empty when nothing is: without
// base_url it is that of the plain listener, whatever a request came by. HTTPS on loopback
// and a free port, as in demo worlds, has no address that could be configured.
func (c Config) LinkWarning(base, link string) string {
	switch {
	case base != "":
		return ""
	case !c.LoopbackOnly() && LoopbackURL(link):
		return "other machines can reach this server, but links lead to " + link + ", which is their own loopback"
	case c.HTTPS != "" && (!c.LoopbackOnly() || !strings.HasSuffix(c.HTTPS, ":0")):
		return "links lead to " + link + ", also in answers over HTTPS"
	}
	return ""
}

// LoopbackURL reports whether an address leads to this machine only.
func LoopbackURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Reachable is why others may be able to ask a server whose links begin with base,
// empty when only programs on this machine can.
func (c Config) Reachable(base string) string {
	switch {
	case !c.LoopbackOnly():
		return "others can reach this server: a listener is not on loopback"
	case len(c.TrustedProxies) > 0:
		return "others can reach this server: listen.trusted_proxies is set"
	case base != "" && !LoopbackURL(base):
		return "others can reach this server: base_url is not on loopback"
	}
	return ""
}
