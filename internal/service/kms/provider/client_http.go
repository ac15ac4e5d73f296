package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/outbound"
)

const (
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 1 << 20
	// maxReason bounds how much of a remote's message is repeated.
	maxReason = 200

	idleConnections = 16
	idleTime        = 90 * time.Second
)

// Client calls one remote that speaks JSON.
type Client struct {
	// Remote is how messages name the remote.
	Remote string
	http   *http.Client
}

// NewClient connects through the gate. It trusts the system's roots, and those
// of caFile when it is named.
func NewClient(gate *outbound.Gate, remote, caFile string) (*Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		text, err := os.ReadFile(caFile)
		if err != nil {
			return nil, err
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", caFile)
		}
	}
	transport := gate.Transport(outbound.Options{Proxy: true})
	transport.TLSClientConfig = config
	transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = idleConnections, idleTime
	// A redirect could carry the credential to another server.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{Remote: remote, http: &http.Client{Transport: transport, CheckRedirect: refuse}}, nil
}

// LoginClient is for logins that vendors' libraries make.
func (c *Client) LoginClient() *http.Client {
	login := *c.http
	login.Timeout = loginTime
	return &login
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call is one request. Secrets are cut out of the remote's messages.
type Call struct {
	Method, URL string
	Header      http.Header
	// Body is sent as JSON; it may be nil.
	Body    any
	Secrets []string
	// Prepare changes the finished request, such as to sign it.
	Prepare func(r *http.Request, body []byte) error
	// Reason finds the remote's message in the body of a failure.
	Reason func(body []byte) string
	// Kind overrides what a failing status means; empty means statusKind.
	Kind func(status int, reason string) Kind
}

// Do sends the call and decodes a 2xx answer into out, which may be nil.
func (c *Client) Do(ctx context.Context, call Call, out any) error {
	r, err := call.request(ctx)
	if err != nil {
		return NewError(Unavailable, err, "%s: the request cannot be made", c.Remote)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }() // read, or not needed
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.unreachable(ctx, err)
	case len(body) > maxAnswer:
		return NewError(Unavailable, nil, "%s: the answer is larger than %d bytes", c.Remote, maxAnswer)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return c.refusal(answer.StatusCode, body, call)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		// The decoder's message could quote the answer, which may contain a key.
		return NewError(Unavailable, nil, "%s: the answer is not the JSON we expect", c.Remote)
	}
	return nil
}

func (call Call) request(ctx context.Context) (*http.Request, error) {
	var body []byte
	if call.Body != nil {
		var err error
		if body, err = json.Marshal(call.Body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, call.Method, call.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range call.Header {
		r.Header[name] = values
	}
	if call.Prepare != nil {
		return r, call.Prepare(r, body)
	}
	return r, nil
}

// unreachable keeps the address out of the message: it may contain a credential.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return NewError(Unavailable, err, "%s did not answer in time", c.Remote)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return NewError(Unavailable, err, "%s cannot be reached: %s", c.Remote, clean(err.Error(), nil))
}

func (c *Client) refusal(status int, body []byte, call Call) error {
	reason := ""
	if call.Reason != nil {
		reason = clean(call.Reason(body), call.Secrets)
	}
	kind := statusKind(status)
	if call.Kind != nil {
		if own := call.Kind(status, reason); own != "" {
			kind = own
		}
	}
	if reason == "" {
		return NewError(kind, nil, "%s answered %d", c.Remote, status)
	}
	return NewError(kind, nil, "%s answered %d: %s", c.Remote, status, reason)
}

// statusKind is what a status means for most remotes.
func statusKind(status int) Kind {
	switch status {
	case http.StatusBadRequest:
		return Refused
	case http.StatusUnauthorized:
		return Unauthenticated
	case http.StatusForbidden:
		return Denied
	case http.StatusNotFound, http.StatusConflict, http.StatusGone:
		return Disabled
	case http.StatusTooManyRequests:
		return Throttled
	}
	return Unavailable
}

// clean makes a remote's message fit for a log line: short, printable and without
// the secrets that were sent.
func clean(text string, secrets []string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
