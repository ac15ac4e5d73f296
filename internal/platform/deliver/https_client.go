package deliver

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver/revocation"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/outbound/lazytls"
)

// Bounds of one call. They are real time: they bound real work, also in a world whose clock stands still.
const (
	totalTimeout   = 15 * time.Second
	connectTimeout = 5 * time.Second
	idleTimeout    = 30 * time.Second
	maxAnswer      = 64 << 10
)

// Request is one call. Header names are sent as they are written.
type Request struct {
	Method string
	URL    string
	Header map[string]string
	Body   []byte
}

// Response is the answer to a call.
type Response struct {
	Status int
	Header http.Header
	// Body is the first 64 kB at most.
	Body []byte
}

// Client calls addresses that users chose. It is safe for concurrent use.
type Client struct {
	dial   dialFunc
	http   *http.Client
	secure *lazytls.Transport
	plain  *http.Transport
	// revocation checks certificates after they were verified.
	revocation *revocation.Checker
	// plainLoopback takes http for receivers on this machine.
	plainLoopback bool
	// total is totalTimeout, shorter in tests.
	total time.Duration
}

// NewClient makes a client that connects through the gate. A nil resolver is the system's.
func NewClient(c Config, gate *outbound.Gate, resolver *net.Resolver) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	dial := newGuard(c.allowed()).dialer(gate, resolver)
	client := &Client{
		dial: dial, total: totalTimeout, plain: transport(gate, dial, nil), plainLoopback: c.Loopback != nil,
	}
	client.revocation = revocation.New(client.plain, clock.Real())
	client.secure = lazytls.New(lazytls.Options{
		Roots: c.roots, Verify: client.checkRevocation,
		Transport: func(config *tls.Config) *http.Transport { return transport(gate, dial, config) },
	})
	client.http = &http.Client{
		Transport:     client.secure,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client, nil
}

// checkRevocation refuses a connection whose certificate was revoked.
func (c *Client) checkRevocation(state tls.ConnectionState) error {
	if err := c.revocation.Verify(state); err != nil {
		return fmt.Errorf("%w: %w", ErrRevoked, err)
	}
	return nil
}

// dialFunc connects to an address.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

func transport(gate *outbound.Gate, dial dialFunc, config *tls.Config) *http.Transport {
	// No Proxy: a proxy would connect where the guard does not see.
	t := gate.Transport(outbound.Options{})
	t.DialContext, t.TLSClientConfig, t.DisableCompression = dial, config, true
	t.TLSHandshakeTimeout, t.IdleConnTimeout = connectTimeout+revocation.Timeout, idleTimeout
	// As many connections are kept as a receiver gets calls at once: a handshake costs more than the call.
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxResponseHeaderBytes = workers, perHost, maxAnswer
	return t
}

// Close ends the connections that wait for a next call.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	c.plain.CloseIdleConnections()
	return nil
}

func (c *Client) parse(raw string) (*url.URL, error) { return parseAddress(raw, c.plainLoopback) }

// Do makes one call. Every answer is a Response, whatever its status; an error is one of this package's.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	u, err := c.parse(r.URL)
	if err != nil {
		return Response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.total)
	defer cancel()
	var processing atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			if code == http.StatusProcessing {
				processing.Store(true)
			}
			return nil
		},
	})
	response, err := c.send(ctx, u, r)
	if err != nil && processing.Load() {
		// 102 and then nothing: the receiver took the message and has no more to say.
		return Response{Status: http.StatusProcessing}, nil
	}
	return response, err
}

func (c *Client) send(ctx context.Context, u *url.URL, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, fmt.Errorf("%w: method %q", ErrMalformed, r.Method)
	}
	for name, value := range r.Header {
		req.Header[name] = []string{value}
	}
	if req.UserAgent() == "" {
		req.Header.Set("User-Agent", "Stoa")
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return Response{}, classify(err)
	}
	defer answer.Body.Close()
	if err := ctx.Err(); err != nil {
		// Giving up closes the connection, and a receiver that waited for just that may still answer: not to the message.
		return Response{}, classify(err)
	}
	// The status is the answer. A body that breaks off or never ends changes nothing about it.
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// CheckAddress connects to an address, verifies its certificate and sends nothing.
func (c *Client) CheckAddress(ctx context.Context, raw string) error {
	u, err := c.parse(raw)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.total)
	defer cancel()
	plain := strings.EqualFold(u.Scheme, "http")
	port := u.Port()
	switch {
	case port == "" && plain:
		port = "80"
	case port == "":
		port = "443"
	}
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return classify(err)
	}
	if plain {
		return conn.Close()
	}
	config, err := c.secure.Config()
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	config.ServerName = u.Hostname()
	err = tls.Client(conn, config).HandshakeContext(ctx)
	// The handshake tells all there is to know; how the connection ends does not matter.
	_ = conn.Close()
	if err != nil {
		return classify(err)
	}
	return nil
}

// classify gives an error of the network one of this package's names. The address, which http puts in front of every
// error, may hold a secret and is left out.
func classify(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, ErrForbidden) || errors.Is(err, ErrRevoked) || errors.Is(err, ErrConnection) {
		return err
	}
	var verification *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &verification) || errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) {
		return fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	return fmt.Errorf("%w: %w", ErrConnection, err)
}
