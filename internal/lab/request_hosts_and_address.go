package lab

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// OwnHost reports whether a Host header names the lab. A page of another site can
// have a name of its own point here, but not an address, a loopback name or a name
// without a dot. Those that are not loopback count where the lab listens beyond it.
func (l *Lab) OwnHost(host string) bool {
	name, port := host, ""
	if h, p, err := net.SplitHostPort(host); err == nil {
		name, port = h, p
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil {
		return false
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Zone() == "" && (ip.IsLoopback() || !l.local() || slices.Contains(l.options.Hosts, name))
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return false
	}
	if clientaddr.LoopbackHost(name) || (!l.local() && !strings.Contains(name, ".")) {
		return true
	}
	return slices.ContainsFunc(l.options.Hosts, func(own string) bool {
		return name == own || strings.HasSuffix(name, "."+own)
	})
}

// serviceHost reports whether a Host header names a service that the configuration
// gives a name of its own.
func (l *Lab) serviceHost(host string) bool {
	name := strings.ToLower(hostname(host))
	for _, own := range l.options.Config.Hosts {
		if name == strings.ToLower(own) {
			return true
		}
	}
	articles := strings.ToLower(l.options.Config.Articles.Host)
	return name == articles || strings.HasSuffix(name, "."+articles)
}

// local reports whether the lab listens on loopback only.
func (l *Lab) local() bool {
	ip, err := netip.ParseAddr(l.options.Host)
	return l.options.Host == "localhost" || (err == nil && ip.IsLoopback())
}

// addressOf is how a request came: at the world's own port, or at the lab's below a
// prefix. A host that is not the lab's is not repeated in links: they name the
// listener that was asked.
func (w *World) addressOf(r *http.Request, prefix, listener string) *address.Address {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	at, own := hostOf(listener), hostOf(w.server.URL())
	if w.lab.OwnHost(r.Host) {
		at = r.Host
		// The same name, with the port of the world's own.
		if _, port, err := net.SplitHostPort(own); err == nil {
			own = net.JoinHostPort(hostname(r.Host), port)
		}
	}
	a := &address.Address{Base: scheme + at + prefix, Path: prefix, Own: scheme + own, Cookies: "_" + w.Name()}
	if prefix != "" {
		a.Cookies = "_w" + a.Cookies
	}
	if public := w.lab.options.Config.BaseURL; public != "" && hostname(hostOf(public)) == hostname(at) &&
		listener != w.server.URL() {
		a.Base = strings.TrimSuffix(public, "/") + prefix // a proxy stands before the lab
	}
	return a
}

// hostOf is the host and port of an address.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}
