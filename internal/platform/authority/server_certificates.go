package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"strings"
	"time"
)

// maxLeaves bounds the memory that clients asking for many names can take.
const maxLeaves = 1024

// leaf is one server certificate in memory.
type leaf struct {
	cert *tls.Certificate
	ends time.Time
}

// ServerConfig serves certificates of this authority.
func (a *Authority) ServerConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			name := hello.ServerName
			if name == "" {
				name = localName(hello)
			}
			return a.Certificate(name)
		},
	}
}

// Certificate is the certificate for a host name or address, made when needed.
func (a *Authority) Certificate(name string) (*tls.Certificate, error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if !a.allowed(name) {
		return nil, fmt.Errorf("no certificate for %q: it is neither localhost nor a configured host", name)
	}
	a.mu.Lock()
	defer a.mu.Unlock()

	now := a.o.Clock.Now()
	if l, ok := a.leaves[name]; ok && now.Add(renewAt).Before(l.ends) {
		return l.cert, nil
	}
	// A server that runs for years meets the end of its root certificate.
	if now.Add(renewRootAt).After(a.cert.NotAfter) {
		if err := a.renew(now); err != nil {
			return nil, fmt.Errorf("renew the root certificate: %w", err)
		}
	}
	l, err := a.issue(name, now)
	if err != nil {
		return nil, fmt.Errorf("certificate for %q: %w", name, err)
	}
	if len(a.leaves) >= maxLeaves {
		clear(a.leaves)
	}
	a.leaves[name] = l
	return l.cert, nil
}

func (a *Authority) allowed(name string) bool {
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback() || a.configured(name)
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || a.configured(name)
}

func (a *Authority) configured(name string) bool {
	for _, host := range a.o.Hosts {
		if below, wild := strings.CutPrefix(host, "*"); wild && strings.HasSuffix(name, below) {
			return true
		}
		if host == name {
			return true
		}
	}
	return false
}

func (a *Authority) issue(name string, now time.Time) (*leaf, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), a.o.IDs)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: a.serial(),
		Subject:      pkix.Name{Organization: []string{"Stoa"}},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(leafLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	// The name stands among the alternative names alone. OpenSSL takes an address
	// in the common name for a host name, which no constraint permits.
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(a.o.IDs, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	cert := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: parsed}
	return &leaf{cert: cert, ends: template.NotAfter}, nil
}

// localName is the address the client connected to, for clients that send no
// server name because they dial an address.
func localName(hello *tls.ClientHelloInfo) string {
	if hello.Conn == nil {
		return "localhost"
	}
	host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String())
	if err != nil {
		return "localhost"
	}
	return host
}
