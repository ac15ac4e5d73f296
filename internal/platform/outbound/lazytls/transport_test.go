package lazytls_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/outbound/lazytls"
)

// TestTransport reads the certificates once, at the first call that they can be read for.
func TestTransport(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	reads, failing := 0, true
	transport := lazytls.New(lazytls.Options{
		Roots: func() (*x509.CertPool, error) {
			reads++
			if failing {
				return nil, errors.New("no disk")
			}
			pool := x509.NewCertPool()
			pool.AddCert(server.Certificate())
			return pool, nil
		},
		Verify:    func(tls.ConnectionState) error { return nil },
		Transport: func(c *tls.Config) *http.Transport { return &http.Transport{TLSClientConfig: c} },
	})
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	if transport.CloseIdleConnections(); reads != 0 {
		t.Fatalf("%d reads before the first call", reads)
	}
	if answer, err := client.Get(server.URL); err == nil {
		_ = answer.Body.Close()
		t.Fatal("a call without certificates was answered")
	}
	failing = false
	for range 2 {
		answer, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
	}
	if config, err := transport.Config(); err != nil || config.RootCAs == nil || reads != 2 {
		t.Errorf("config %v, error %v, %d reads, want 2", config, err, reads)
	}
}
