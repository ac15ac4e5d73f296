package revocation

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/memo"
)

// Timeout bounds all questions about one connection's certificates.
const Timeout = 4 * time.Second

const (
	maxOCSP = 64 << 10
	maxCRL  = 16 << 20
	// maxRemembered is how long an answer is remembered whatever it says about itself.
	maxRemembered = 12 * time.Hour
	maxAnswers    = 2048
	maxLists      = 32
)

// Error names a certificate that its authority has revoked.
type Error struct{ cert *x509.Certificate }

// Error is how the authority knows the certificate.
func (e *Error) Error() string {
	return fmt.Sprintf("serial %x, issued by %s", e.cert.SerialNumber, e.cert.Issuer)
}

// Checker asks whether certificates were revoked. Answers are remembered for as long as they say. It is safe for
// concurrent use.
type Checker struct {
	client *http.Client
	clock  clock.Clock
	known  *memo.Cache[string, timed[bool]]
	lists  *memo.Cache[string, timed[*x509.RevocationList]]
	// Timeout is the constant, shorter in tests.
	Timeout time.Duration
}

// timed is what counts until its time is over.
type timed[V any] struct {
	value V
	until time.Time
}

// New makes a checker that asks over transport and decides by c's time.
func New(transport http.RoundTripper, c clock.Clock) *Checker {
	return &Checker{
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		clock: c, Timeout: Timeout,
		known: memo.NewCounted[string, timed[bool]](maxAnswers),
		lists: memo.NewCounted[string, timed[*x509.RevocationList]](maxLists),
	}
}

// Verify is for tls.Config.VerifyConnection: it runs after the chain was verified, on every connection, and returns an
// *Error for a revoked certificate.
func (c *Checker) Verify(state tls.ConnectionState) error {
	if len(state.VerifiedChains) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	chain := state.VerifiedChains[0]
	for i := range len(chain) - 1 { // The root is trusted by decision; it cannot be revoked.
		var staple []byte
		if i == 0 {
			staple = state.OCSPResponse
		}
		if c.revoked(ctx, chain[i], chain[i+1], staple) {
			return &Error{cert: chain[i]}
		}
	}
	return nil
}

// revoked asks in the order of cost. No answer is not a yes.
func (c *Checker) revoked(ctx context.Context, cert, issuer *x509.Certificate, staple []byte) bool {
	if revoked, ok := c.readOCSP(staple, cert, issuer); ok {
		return revoked
	}
	key := string(issuer.RawSubjectPublicKeyInfo) + string(cert.SerialNumber.Bytes())
	if a, ok := c.known.Get(key); ok && c.clock.Now().Before(a.until) {
		return a.value
	}
	for _, address := range cert.OCSPServer {
		if revoked, ok := c.askResponder(ctx, address, cert, issuer); ok {
			return revoked
		}
	}
	for _, address := range cert.CRLDistributionPoints {
		list, ok := c.list(ctx, address, issuer)
		if !ok {
			continue
		}
		return slices.ContainsFunc(list.RevokedCertificateEntries, func(e x509.RevocationListEntry) bool {
			return e.SerialNumber.Cmp(cert.SerialNumber) == 0
		})
	}
	return false
}

// readOCSP reads an OCSP answer and keeps it.
func (c *Checker) readOCSP(answer []byte, cert, issuer *x509.Certificate) (revoked, ok bool) {
	if len(answer) == 0 {
		return false, false
	}
	parsed, err := ocsp.ParseResponseForCert(answer, cert, issuer)
	if err != nil || (parsed.Status != ocsp.Good && parsed.Status != ocsp.Revoked) {
		return false, false
	}
	// An answer signed by another certificate of the authority counts only if that one may sign answers.
	if signer := parsed.Certificate; signer != nil && !slices.Contains(signer.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) {
		return false, false
	}
	now := c.clock.Now()
	if now.Before(parsed.ThisUpdate.Add(-time.Hour)) || (!parsed.NextUpdate.IsZero() && now.After(parsed.NextUpdate)) {
		return false, false
	}
	revoked = parsed.Status == ocsp.Revoked
	key := string(issuer.RawSubjectPublicKeyInfo) + string(cert.SerialNumber.Bytes())
	c.known.Put(key, timed[bool]{revoked, until(now, parsed.NextUpdate)})
	return revoked, true
}

func until(now, next time.Time) time.Time {
	if latest := now.Add(maxRemembered); next.IsZero() || next.After(latest) {
		return latest
	}
	return next
}

func (c *Checker) askResponder(ctx context.Context, address string, cert, issuer *x509.Certificate) (revoked, ok bool) {
	question, err := ocsp.CreateRequest(cert, issuer, nil)
	if err != nil {
		return false, false
	}
	answer, ok := c.fetch(ctx, http.MethodPost, address, question, maxOCSP)
	if !ok {
		return false, false
	}
	return c.readOCSP(answer, cert, issuer)
}

func (c *Checker) list(ctx context.Context, address string, issuer *x509.Certificate) (*x509.RevocationList, bool) {
	now := c.clock.Now()
	key := address + string(issuer.RawSubjectPublicKeyInfo)
	if a, ok := c.lists.Get(key); ok && now.Before(a.until) {
		return a.value, true
	}
	text, ok := c.fetch(ctx, http.MethodGet, address, nil, maxCRL)
	if !ok {
		return nil, false
	}
	list, err := x509.ParseRevocationList(text)
	if err != nil || list.CheckSignatureFrom(issuer) != nil || (!list.NextUpdate.IsZero() && now.After(list.NextUpdate)) {
		return nil, false
	}
	c.lists.Put(key, timed[*x509.RevocationList]{list, until(now, list.NextUpdate)})
	return list, true
}

// fetch makes one plain question. Such answers are signed, so that they need no TLS, and asking over TLS would lead
// to questions about that certificate.
func (c *Checker) fetch(ctx context.Context, method, address string, body []byte, limit int64) ([]byte, bool) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil || req.URL.Scheme != "http" {
		return nil, false
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/ocsp-request")
	}
	answer, err := c.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	return text, err == nil && answer.StatusCode == http.StatusOK && int64(len(text)) <= limit
}
