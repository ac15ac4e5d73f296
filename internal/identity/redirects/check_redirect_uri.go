package redirects

import (
	"net/netip"
	"net/url"
	"strings"
)

// maxURIs bounds how many an application may register.
const maxURIs = 100

// ProblemOfAll is why an application may not register these, empty where it may. One of the web
// needs one: no sign-in of it could end otherwise.
func ProblemOfAll(web bool, uris []string) string {
	if len(uris) > maxURIs {
		return "may be given at most 100 times"
	}
	if web && len(uris) == 0 {
		return "is required for a web application"
	}
	for _, uri := range uris {
		if problem := Problem(uri); problem != "" {
			return problem
		}
	}
	return ""
}

// Problem is why a text may not be registered as a redirect URI, empty where it may:
// https with a host name, http on the loopback interface only (RFC 9700 section 2.6),
// a private-use scheme in the form of a reversed domain name (RFC 8252 section
// 7.1), or a path on the server itself, which the analytics contract knows. No
// fragment (RFC 6749 section 3.1.2), no user and no pattern in any of them.
func Problem(raw string) string {
	u, err := url.Parse(raw)
	// Browsers read a backslash as a slash, so "/\host" would leave the server.
	if err != nil || len(raw) > 2048 || strings.ContainsAny(raw, "#\\") || strings.ContainsFunc(raw, isForbiddenInURL) {
		return "must be an absolute URL without a fragment"
	}
	// So would "///host".
	if u.Scheme == "" && u.Host == "" && strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		return ""
	}
	if u.User != nil {
		return "must name no user"
	}
	switch u.Scheme {
	case "":
		return "must be an absolute URL without a fragment"
	case "https":
		if !isHost(u) {
			return "must name a host, spelt out and in ASCII"
		}
	case "http":
		if !isHost(u) || !IsLoopback(u.Hostname()) {
			return "may be http for 127.0.0.1, [::1] and localhost only; use https"
		}
	default:
		// One of the schemes that browsers know would run in the browser.
		if !strings.Contains(u.Scheme, ".") {
			return "must be https, or a scheme of the application's own such as com.example.app"
		}
	}
	return ""
}

// isForbiddenInURL reports what has no place in a URL: spaces, control characters and
// everything beyond ASCII, which is written as %XX or punycode.
func isForbiddenInURL(r rune) bool { return r <= ' ' || r >= 0x7f }

// isHost reports whether the URL has an IP address or a plain name, without a pattern.
func isHost(u *url.URL) bool {
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		ip, err := netip.ParseAddr(name)
		return err == nil && ip.Zone() == ""
	}
	for j := range len(name) {
		if c := name[j]; !isAlphanumeric(c) && c != '-' && c != '.' {
			return false
		}
	}
	return name != "" && name[0] != '.' && name[0] != '-' && !strings.Contains(name, "..")
}

// IsLoopback reports whether the name never leaves the machine.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// WithoutLoopbackPort is the address without its port, where it is http on loopback
// and has one. Nothing else of the text changes.
func WithoutLoopbackPort(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.Port() == "" || !IsLoopback(u.Hostname()) {
		return "", false
	}
	const scheme = "http://"
	host := strings.TrimSuffix(u.Host, ":"+u.Port())
	rest, ok := strings.CutPrefix(uri, scheme+u.Host)
	return scheme + host + rest, ok
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
