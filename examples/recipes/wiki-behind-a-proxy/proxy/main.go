package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log"
	"math/big"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

// main takes LISTEN BACKEND CERTIFICATE; the certificate is written for clients to trust.
func main() {
	listen, backend, file := os.Args[1], os.Args[2], os.Args[3]
	to, err := url.Parse(backend)
	if err != nil {
		log.Fatal(err)
	}
	certificate, err := certify(file)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr: listen, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // teams have hosts of their own
			r.SetXForwarded()
		}},
	}
	log.Fatal(server.ListenAndServeTLS("", ""))
}

// certify makes a certificate for localhost and what is below it.
func certify(file string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(30 * 24 * time.Hour),
		DNSNames: []string{"localhost", "*.localhost", "handbook.localhost"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(file, text, 0o644)
}
