package lazytls

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
)

// Options are what a transport is made of; all are needed.
type Options struct {
	// Roots reads the trusted certificates. An error fails the call that needed them; the next one asks again.
	Roots func() (*x509.CertPool, error)
	// Verify looks at a connection after its certificate was verified.
	Verify func(tls.ConnectionState) error
	// Transport makes the transport that carries the calls.
	Transport func(*tls.Config) *http.Transport
}

// Transport carries calls over TLS 1.2 or later.
type Transport struct {
	options Options

	mu     sync.Mutex
	open   *http.Transport
	config *tls.Config
}

// New returns a transport that has read nothing yet.
func New(o Options) *Transport { return &Transport{options: o} }

// Config returns the configuration of connections, a copy.
func (t *Transport) Config() (*tls.Config, error) {
	_, config, err := t.ready()
	if err != nil {
		return nil, err
	}
	return config.Clone(), nil
}

func (t *Transport) ready() (*http.Transport, *tls.Config, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open != nil {
		return t.open, t.config, nil
	}
	roots, err := t.options.Roots()
	if err != nil {
		return nil, nil, err
	}
	t.config = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, VerifyConnection: t.options.Verify}
	// A transport changes the configuration it is given when it is first used, so it gets a copy.
	t.open = t.options.Transport(t.config.Clone())
	return t.open, t.config, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	open, _, err := t.ready()
	if err != nil {
		return nil, err
	}
	return open.RoundTrip(r)
}

// CloseIdleConnections ends the connections that wait for a next call.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open != nil {
		t.open.CloseIdleConnections()
	}
}
