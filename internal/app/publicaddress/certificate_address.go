package publicaddress

import (
	"crypto/tls"
	"net"
	"net/url"
	"strings"
)

// OfCertificate is the address of a TLS listener by a name that the certificate in certFile
// holds, so that clients can verify it: the bound address itself where the certificate holds
// that, else base when it is https, else the first name of the certificate with the bound port.
func OfCertificate(bound, base, certFile, keyFile string) string {
	at, err := url.Parse(bound)
	if err != nil || bound == "" || certFile == "" {
		return bound
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil || pair.Leaf.VerifyHostname(at.Hostname()) == nil {
		return bound
	}
	if b, err := url.Parse(base); err == nil && b.Scheme == "https" && pair.Leaf.VerifyHostname(b.Hostname()) == nil {
		return strings.TrimSuffix(base, "/")
	}
	for _, name := range pair.Leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			return at.Scheme + "://" + net.JoinHostPort(name, at.Port())
		}
	}
	return bound
}
