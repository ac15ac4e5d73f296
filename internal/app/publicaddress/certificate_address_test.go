package publicaddress_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/publicaddress"
)

// TestOfCertificate: clients are told a name that they can verify.
func TestOfCertificate(t *testing.T) {
	t.Parallel()
	const bound = "https://127.0.0.1:18444"
	for _, row := range []struct {
		names      []string
		ip         string
		base, want string
	}{
		{[]string{"localhost"}, "", "", "https://localhost:18444"},
		{[]string{"localhost", "stoa.localhost"}, "", "https://stoa.localhost:18444/", "https://stoa.localhost:18444"},
		{[]string{"localhost"}, "", "http://stoa.localhost:8080", "https://localhost:18444"},
		{[]string{"localhost"}, "", "https://another.example.org", "https://localhost:18444"},
		{[]string{"localhost"}, "127.0.0.1", "", bound},
		{[]string{"*.example.org"}, "", "https://stoa.example.org", "https://stoa.example.org"},
		{[]string{"*.example.org"}, "", "", bound},
	} {
		cert, key := certificate(t, row.names, row.ip)
		if got := publicaddress.OfCertificate(bound, row.base, cert, key); got != row.want {
			t.Errorf("%+v: got %s", row, got)
		}
	}
	if got := publicaddress.OfCertificate(bound, "https://a.example.org", "", ""); got != bound {
		t.Errorf("without a certificate: %s", got)
	}
}

func certificate(t *testing.T, names []string, ip string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour)}
	if ip != "" {
		leaf.IPAddresses = []net.IP{net.ParseIP(ip)}
	}
	cert, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}
