package deliver

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Reasons why a call is not made or does not get through, for errors.Is.
var (
	// ErrMalformed is an address that is no usable URL.
	ErrMalformed = errors.New("deliver: malformed address")
	// ErrNotHTTPS is an address with another scheme.
	ErrNotHTTPS = errors.New("deliver: the address must be https")
	// ErrForbidden is an address in a range that may not be called.
	ErrForbidden = errors.New("deliver: the address is not allowed")
	// ErrCertificate is a certificate that does not prove the host: untrusted, expired, for another host.
	ErrCertificate = errors.New("deliver: the certificate is not valid")
	// ErrRevoked is a certificate that its authority has revoked. It is an ErrCertificate too.
	ErrRevoked = fmt.Errorf("%w: it is revoked", ErrCertificate)
	// ErrConnection is a connection that failed, broke or took too long.
	ErrConnection = errors.New("deliver: no answer")
)

// maxURL is longer than what common servers accept in a request line.
const maxURL = 8192

// parseAddress checks the form of an address without any network; with plainLoopback it takes http too, for this
// machine. What it lets pass is still guarded when it is connected to; what it refuses is refused for good, so that a
// caller can tell the user who registers it.
func parseAddress(raw string, plainLoopback bool) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, maxURL)
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return nil, fmt.Errorf("%w: byte %#x; escape it, and write host names in their ASCII form", ErrMalformed, c)
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats the address, which may hold a secret.
		return nil, fmt.Errorf("%w: not a URL", ErrMalformed)
	}
	plain := plainLoopback && strings.EqualFold(u.Scheme, "http") && isLoopback(u.Hostname())
	if !plain && !strings.EqualFold(u.Scheme, "https") {
		return nil, fmt.Errorf("%w, not %q", ErrNotHTTPS, u.Scheme)
	}
	if u.Opaque != "" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("%w: want https://host[:port]/path, without user or fragment", ErrMalformed)
	}
	return u, errors.Join(checkPort(u), checkHost(u.Hostname()))
}

// isLoopback reports whether a host is this machine by its form.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

func checkPort(u *url.URL) error {
	port := u.Port()
	if port == "" && strings.HasSuffix(u.Host, ":") {
		return fmt.Errorf("%w: an empty port", ErrMalformed)
	}
	if port == "" {
		return nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return fmt.Errorf("%w: port %q", ErrMalformed, port)
	}
	return nil
}

// checkHost lets pass a plain IP address or a host name. Names that some resolver may read as a number are refused,
// because 0x7f.1, 017700000001 and 2130706433 are 127.0.0.1 to some of them.
func checkHost(host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" || addr.Is4In6() {
			return fmt.Errorf("%w: an address with a zone, or of IPv4 inside IPv6", ErrMalformed)
		}
		return nil
	}
	if len(host) > 253 {
		return fmt.Errorf("%w: a host name of %d bytes", ErrMalformed, len(host))
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if !isLabel(label) {
			return fmt.Errorf("%w: host name %q", ErrMalformed, host)
		}
	}
	last := strings.ToLower(labels[len(labels)-1])
	if strings.Trim(last, "0123456789") == "" ||
		(strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "") {
		return fmt.Errorf("%w: %q is neither a host name nor an address in its usual form", ErrMalformed, host)
	}
	return nil
}

func isLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for i := range len(label) {
		c := label[i] | 0x20
		if (c < 'a' || c > 'z') && (label[i] < '0' || label[i] > '9') && label[i] != '-' && label[i] != '_' {
			return false
		}
	}
	return true
}

// shown is an address without what may be secret: its query.
func shown(u *url.URL) string {
	text := u.Scheme + "://" + u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		text += "?…"
	}
	return text
}
