package delivertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// Authority issues certificates that live as long as a test.
type Authority struct {
	Cert *x509.Certificate
	Key  crypto.Signer
	// File holds Cert in PEM.
	File string
	// Parent is nil for a root.
	Parent *Authority
	// now is the machine's time: certificates are verified by it.
	now time.Time
}

// NewAuthority makes a root.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{now: clock.Real().Now(), File: filepath.Join(t.TempDir(), "ca.pem")}
	template := a.template("test root")
	template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign|x509.KeyUsageDigitalSignature
	a.Key = newKey(t)
	a.Cert = sign(t, template, template, a.Key.Public(), a.Key)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Cert.Raw})
	if err := os.WriteFile(a.File, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// Intermediate makes an authority below this one.
func (a *Authority) Intermediate(t testing.TB, change ...func(*x509.Certificate)) *Authority {
	t.Helper()
	sub := &Authority{now: a.now, File: a.File, Parent: a, Key: newKey(t)}
	template := a.template("test intermediate")
	template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	for _, c := range change {
		c(template)
	}
	sub.Cert = sign(t, template, a.Cert, sub.Key.Public(), a.Key)
	return sub
}

// Issue makes a server certificate for 127.0.0.0/8's usual addresses, ::1 and localhost, with its chain.
func (a *Authority) Issue(t testing.TB, change ...func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	template := a.template("test receiver")
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost", "receiver.test"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 5), net.IPv6loopback}
	for _, c := range change {
		c(template)
	}
	key := newKey(t)
	leaf := sign(t, template, a.Cert, key.Public(), a.Key)
	chain := tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}
	for up := a; up.Parent != nil; up = up.Parent {
		chain.Certificate = append(chain.Certificate, up.Cert.Raw)
	}
	return chain
}

func (a *Authority) template(name string) *x509.Certificate {
	var serial [16]byte
	_, _ = ids.Random().Read(serial[:]) // never fails
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial[1:]), Subject: pkix.Name{CommonName: name},
		NotBefore: a.now.Add(-time.Hour), NotAfter: a.now.Add(24 * time.Hour), BasicConstraintsValid: true,
	}
}

func newKey(t testing.TB) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, template, parent *x509.Certificate, public crypto.PublicKey,
	key crypto.Signer) *x509.Certificate {
	t.Helper()
	raw, err := x509.CreateCertificate(ids.Random(), template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
