package authority

import "crypto/x509"

// Pool holds the root certificate alone.
func (a *Authority) Pool() *x509.CertPool {
	a.mu.Lock()
	defer a.mu.Unlock()
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}
