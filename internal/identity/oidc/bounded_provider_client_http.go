package oidc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"stoa.dev/stoa/internal/platform/outbound"
)

const (
	// callTimeout bounds one call, with everything that it reads.
	callTimeout = 10 * time.Second
	// maxAnswer is far above keys, tokens and userinfo.
	maxAnswer = 1 << 20
)

// newClient makes the client for all calls to the provider.
func newClient(gate *outbound.Gate, caFile string) (*http.Client, error) {
	transport := gate.Transport(outbound.Options{Timeout: callTimeout, Proxy: true})
	transport.TLSHandshakeTimeout, transport.MaxIdleConns = callTimeout, 4
	transport.IdleConnTimeout = time.Minute
	if caFile != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		text, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("identity.oidc.ca_file: %w", err)
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("identity.oidc.ca_file: %s holds no certificate", caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{
		Timeout: callTimeout, Transport: boundedTransport{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// boundedTransport ends answers that are longer than any of a provider.
type boundedTransport struct{ next *http.Transport }

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkAddress(r.URL.String()); err != nil {
		return nil, err
	}
	answer, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &boundedBody{answer.Body, maxAnswer}
	return answer, nil
}

// CloseIdleConnections lets http.Client end what is kept open.
func (b boundedTransport) CloseIdleConnections() { b.next.CloseIdleConnections() }

var errTooLong = errors.New("the provider's answer is longer than 1 MiB")

// boundedBody fails where a longer answer would be cut off without a word.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
