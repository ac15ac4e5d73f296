package authority

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
)

// Issue makes a certificate for a server that is not ours, for one host name or
// address, as PEM: the chain and the private key. The root certificate says for which
// names the authority may sign.
func (a *Authority) Issue(name string) (chain, key []byte, err error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	a.mu.Lock()
	defer a.mu.Unlock()
	l, err := a.issue(name, a.o.Clock.Now())
	if err != nil {
		return nil, nil, fmt.Errorf("certificate for %q: %w", name, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	_, err = l.cert.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: a.o.Clock.Now()})
	if err != nil {
		return nil, nil, fmt.Errorf("%q is not a name that %s may sign for (%s)", name, a.file, a.permitted())
	}
	for _, der := range l.cert.Certificate {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(l.cert.PrivateKey)
	if err != nil {
		return nil, nil, err
	}
	return chain, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// permitted are the names and ranges of the root certificate.
func (a *Authority) permitted() string {
	all := append([]string{}, a.cert.PermittedDNSDomains...)
	for _, r := range a.cert.PermittedIPRanges {
		all = append(all, r.String())
	}
	return strings.Join(all, ", ")
}
