package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificates are the files that the API server is started with. The serving
// certificate is its own authority; the key that signs service accounts is another.
type certificates struct {
	serving, servingKey string
	accountKey          string
	authority           []byte // serving, as PEM
}

func makeCertificates(dir string) (c certificates, err error) {
	c = certificates{
		serving: filepath.Join(dir, "serving.crt"), servingKey: filepath.Join(dir, "serving.key"),
		accountKey: filepath.Join(dir, "accounts.key"),
	}
	key, err1 := writeKey(c.servingKey)
	_, err2 := writeKey(c.accountKey)
	if err := errors.Join(err1, err2); err != nil {
		return c, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kube-check"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	content, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return c, err
	}
	c.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content})
	return c, os.WriteFile(c.serving, c.authority, 0o600)
}

func writeKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	content, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: content}), 0o600)
}
