package delivertest

import (
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

// Revoked issues a certificate that the authority has revoked: its revocation list, which a server on loopback
// gives out, names it.
func Revoked(t testing.TB, a *Authority) tls.Certificate {
	t.Helper()
	var list atomic.Pointer[[]byte]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if text := list.Load(); text != nil {
			// The connection is the test's own; a failure shows in what is missing.
			_, _ = w.Write(*text)
		}
	}))
	t.Cleanup(server.Close)
	cert := a.Issue(t, func(c *x509.Certificate) { c.CRLDistributionPoints = []string{server.URL} })
	text, err := x509.CreateRevocationList(ids.Random(), &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: a.now.Add(-time.Minute), NextUpdate: a.now.Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{{SerialNumber: cert.Leaf.SerialNumber,
			RevocationTime: a.now.Add(-time.Minute)}},
	}, a.Cert, a.Key)
	if err != nil {
		t.Fatal(err)
	}
	list.Store(&text)
	return cert
}
