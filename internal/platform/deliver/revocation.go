package deliver

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
)

const (
	// revocationTimeout bounds all questions about one connection's certificates.
	revocationTimeout = 4 * time.Second
	maxOCSP           = 64 << 10
	maxCRL            = 16 << 20
	// maxVerdict is how long an answer is remembered whatever it says about itself.
	maxVerdict = 12 * time.Hour
	maxAnswers = 2048
	maxLists   = 32
)

// revocation asks whether certificates were taken back. Answers are remembered for as long as they say.
type revocation struct {
	client *http.Client
	clock  clock.Clock
	known  *memory[bool]
	lists  *memory[*x509.RevocationList]
	// timeout is revocationTimeout, shorter in tests.
	timeout time.Duration
}

func newRevocation(transport http.RoundTripper, c clock.Clock) *revocation {
	return &revocation{
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		clock: c, known: newMemory[bool](maxAnswers), lists: newMemory[*x509.RevocationList](maxLists),
		timeout: revocationTimeout,
	}
}

// verify runs after the chain was verified, on every connection.
func (r *revocation) verify(state tls.ConnectionState) error {
	if len(state.VerifiedChains) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	chain := state.VerifiedChains[0]
	for i := range len(chain) - 1 { // The root is trusted by decision; it cannot be revoked.
		var staple []byte
		if i == 0 {
			staple = state.OCSPResponse
		}
		if r.revoked(ctx, chain[i], chain[i+1], staple) {
			return fmt.Errorf("%w: serial %x, issued by %s", ErrRevoked, chain[i].SerialNumber, chain[i].Issuer)
		}
	}
	return nil
}

// revoked asks in the order of cost. No answer is not a yes.
func (r *revocation) revoked(ctx context.Context, cert, issuer *x509.Certificate, staple []byte) bool {
	if verdict, ok := r.judge(staple, cert, issuer); ok {
		return verdict
	}
	key := string(issuer.RawSubjectPublicKeyInfo) + string(cert.SerialNumber.Bytes())
	if verdict, ok := r.known.get(key, r.clock.Now()); ok {
		return verdict
	}
	for _, address := range cert.OCSPServer {
		if verdict, ok := r.askResponder(ctx, address, cert, issuer); ok {
			return verdict
		}
	}
	for _, address := range cert.CRLDistributionPoints {
		list, ok := r.list(ctx, address, issuer)
		if !ok {
			continue
		}
		return slices.ContainsFunc(list.RevokedCertificateEntries, func(e x509.RevocationListEntry) bool {
			return e.SerialNumber.Cmp(cert.SerialNumber) == 0
		})
	}
	return false
}

// judge reads an OCSP answer and keeps it.
func (r *revocation) judge(answer []byte, cert, issuer *x509.Certificate) (revoked, ok bool) {
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
	now := r.clock.Now()
	if now.Before(parsed.ThisUpdate.Add(-time.Hour)) || (!parsed.NextUpdate.IsZero() && now.After(parsed.NextUpdate)) {
		return false, false
	}
	revoked = parsed.Status == ocsp.Revoked
	key := string(issuer.RawSubjectPublicKeyInfo) + string(cert.SerialNumber.Bytes())
	r.known.put(key, revoked, until(now, parsed.NextUpdate))
	return revoked, true
}

func until(now, next time.Time) time.Time {
	if latest := now.Add(maxVerdict); next.IsZero() || next.After(latest) {
		return latest
	}
	return next
}

func (r *revocation) askResponder(ctx context.Context, address string, cert, issuer *x509.Certificate,
) (revoked, ok bool) {
	question, err := ocsp.CreateRequest(cert, issuer, nil)
	if err != nil {
		return false, false
	}
	answer, ok := r.fetch(ctx, http.MethodPost, address, question, maxOCSP)
	if !ok {
		return false, false
	}
	return r.judge(answer, cert, issuer)
}

func (r *revocation) list(ctx context.Context, address string, issuer *x509.Certificate) (*x509.RevocationList, bool) {
	now := r.clock.Now()
	key := address + string(issuer.RawSubjectPublicKeyInfo)
	if list, ok := r.lists.get(key, now); ok {
		return list, true
	}
	text, ok := r.fetch(ctx, http.MethodGet, address, nil, maxCRL)
	if !ok {
		return nil, false
	}
	list, err := x509.ParseRevocationList(text)
	if err != nil || list.CheckSignatureFrom(issuer) != nil || (!list.NextUpdate.IsZero() && now.After(list.NextUpdate)) {
		return nil, false
	}
	r.lists.put(key, list, until(now, list.NextUpdate))
	return list, true
}

// fetch makes one plain question. Such answers are signed, so that they need no TLS, and asking over TLS would lead
// to questions about that certificate.
func (r *revocation) fetch(ctx context.Context, method, address string, body []byte, limit int64) ([]byte, bool) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil || req.URL.Scheme != "http" {
		return nil, false
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/ocsp-request")
	}
	answer, err := r.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	return text, err == nil && answer.StatusCode == http.StatusOK && int64(len(text)) <= limit
}
