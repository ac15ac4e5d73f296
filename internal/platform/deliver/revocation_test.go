package deliver_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/ids"
)

// responder is an OCSP responder or a CRL's server, whose answer a test sets once it knows the certificate.
type responder struct {
	URL   string
	asked atomic.Int32
	reply atomic.Pointer[http.HandlerFunc]
}

func newResponder(t *testing.T) *responder {
	t.Helper()
	r := &responder{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.asked.Add(1)
		(*r.reply.Load())(w, req)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

func (r *responder) answer(h http.HandlerFunc) { r.reply.Store(&h) }

func (r *responder) bytes(text []byte) {
	r.answer(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
}

// signed is an OCSP answer about a serial number.
func signed(t *testing.T, a *delivertest.Authority, serial *big.Int, change ...func(*ocsp.Response)) []byte {
	t.Helper()
	now := time.Now()
	template := ocsp.Response{
		Status: ocsp.Good, SerialNumber: serial, ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour),
		RevokedAt: now.Add(-time.Minute),
	}
	for _, c := range change {
		c(&template)
	}
	text, err := ocsp.CreateResponse(a.Cert, a.Cert, template, a.Key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// delegated is a revocation signed by a certificate that the authority issued for another use.
func delegated(t *testing.T, a *delivertest.Authority, serial *big.Int, usage x509.ExtKeyUsage) []byte {
	t.Helper()
	signer := a.Issue(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{usage} })
	now := time.Now()
	text, err := ocsp.CreateResponse(a.Cert, signer.Leaf, ocsp.Response{
		Status: ocsp.Revoked, SerialNumber: serial, ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour),
		RevokedAt: now.Add(-time.Minute), Certificate: signer.Leaf,
	}, signer.PrivateKey.(crypto.Signer))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func revoked(r *ocsp.Response) { r.Status = ocsp.Revoked }

func stale(r *ocsp.Response) {
	r.ThisUpdate, r.NextUpdate = r.ThisUpdate.Add(-48*time.Hour), r.NextUpdate.Add(-24*time.Hour)
}

// list is a CRL of an authority.
func list(t *testing.T, a *delivertest.Authority, serials ...*big.Int) []byte {
	t.Helper()
	now := time.Now()
	template := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now.Add(-time.Minute),
		NextUpdate: now.Add(time.Hour)}
	for _, s := range serials {
		template.RevokedCertificateEntries = append(template.RevokedCertificateEntries,
			x509.RevocationListEntry{SerialNumber: s, RevocationTime: now.Add(-time.Minute)})
	}
	text, err := x509.CreateRevocationList(ids.Random(), template, a.Cert, a.Key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	withOCSP := func(r *responder) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.OCSPServer = []string{r.URL} }
	}
	withCRL := func(r *responder) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.CRLDistributionPoints = []string{r.URL} }
	}
	type scene struct {
		a    *delivertest.Authority
		r    *responder
		cert tls.Certificate
	}
	rows := []struct {
		name  string
		offer func(*responder) func(*x509.Certificate)
		set   func(t *testing.T, s *scene)
		asked int32
		want  error
	}{
		{"staple says good", nil,
			func(t *testing.T, s *scene) { s.cert.OCSPStaple = signed(t, s.a, s.cert.Leaf.SerialNumber) }, 0, nil},
		{"staple says revoked", nil, func(t *testing.T, s *scene) {
			s.cert.OCSPStaple = signed(t, s.a, s.cert.Leaf.SerialNumber, revoked)
		}, 0, deliver.ErrRevoked},
		{"a good staple answers for the responder", withOCSP, func(t *testing.T, s *scene) {
			s.cert.OCSPStaple = signed(t, s.a, s.cert.Leaf.SerialNumber)
			s.r.bytes(signed(t, s.a, s.cert.Leaf.SerialNumber, revoked))
		}, 0, nil},
		{"a stale staple does not", withOCSP, func(t *testing.T, s *scene) {
			s.cert.OCSPStaple = signed(t, s.a, s.cert.Leaf.SerialNumber, stale)
			s.r.bytes(signed(t, s.a, s.cert.Leaf.SerialNumber, revoked))
		}, 1, deliver.ErrRevoked},
		{"responder says good", withOCSP,
			func(t *testing.T, s *scene) { s.r.bytes(signed(t, s.a, s.cert.Leaf.SerialNumber)) }, 1, nil},
		{"responder says revoked", withOCSP, func(t *testing.T, s *scene) {
			s.r.answer(func(w http.ResponseWriter, req *http.Request) {
				body, err := io.ReadAll(req.Body)
				question, bad := ocsp.ParseRequest(body)
				if err != nil || bad != nil || question.SerialNumber.Cmp(s.cert.Leaf.SerialNumber) != 0 {
					t.Errorf("question = %+v, %v, %v", question, err, bad)
				}
				_, _ = w.Write(signed(t, s.a, question.SerialNumber, revoked))
			})
		}, 1, deliver.ErrRevoked},
		{"an answer of another authority is none", withOCSP, func(t *testing.T, s *scene) {
			s.r.bytes(signed(t, delivertest.NewAuthority(t), s.cert.Leaf.SerialNumber, revoked))
		}, 2, nil},
		{"an answer about another certificate is none", withOCSP, func(t *testing.T, s *scene) {
			s.r.bytes(signed(t, s.a, big.NewInt(77), revoked))
		}, 2, nil},
		{"an answer of a certificate that may sign answers", withOCSP, func(t *testing.T, s *scene) {
			s.r.bytes(delegated(t, s.a, s.cert.Leaf.SerialNumber, x509.ExtKeyUsageOCSPSigning))
		}, 1, deliver.ErrRevoked},
		{"an answer of any other certificate is none", withOCSP, func(t *testing.T, s *scene) {
			s.r.bytes(delegated(t, s.a, s.cert.Leaf.SerialNumber, x509.ExtKeyUsageServerAuth))
		}, 2, nil},
		{"garbage is not an answer", withOCSP, func(_ *testing.T, s *scene) { s.r.bytes([]byte("<html>")) }, 2, nil},
		{"an error is not an answer", withOCSP, func(_ *testing.T, s *scene) { s.r.answer(delivertest.Answer(500)) }, 2, nil},
		{"list without it", withCRL, func(t *testing.T, s *scene) { s.r.bytes(list(t, s.a, big.NewInt(77))) }, 1, nil},
		{"list with it", withCRL, func(t *testing.T, s *scene) { s.r.bytes(list(t, s.a, s.cert.Leaf.SerialNumber)) }, 1,
			deliver.ErrRevoked},
		{"list of another authority is none", withCRL, func(t *testing.T, s *scene) {
			s.r.bytes(list(t, delivertest.NewAuthority(t), s.cert.Leaf.SerialNumber))
		}, 2, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := &scene{a: delivertest.NewAuthority(t), r: newResponder(t)}
			s.r.answer(delivertest.Answer(404))
			change := func(*x509.Certificate) {}
			if row.offer != nil {
				change = row.offer(s.r)
			}
			s.cert = s.a.Issue(t, change)
			row.set(t, s)
			receiver := delivertest.Start(t, s.a, "127.0.0.1:0", tlsConfig(s.cert))
			client := newClient(t, receiver.Config, nil)
			if err := client.CheckAddress(t.Context(), receiver.URL); !errors.Is(err, row.want) {
				t.Errorf("CheckAddress = %v, want %v", err, row.want)
			}
			if row.want != nil && !errors.Is(row.want, deliver.ErrCertificate) {
				t.Errorf("%v is not an ErrCertificate", row.want)
			}
			if _, err := post(t, client, receiver.URL); !errors.Is(err, row.want) {
				t.Errorf("Do = %v, want %v", err, row.want)
			}
			// What was learnt is remembered; what was not is asked again.
			if got := s.r.asked.Load(); got != row.asked {
				t.Errorf("asked %d times for two connections, want %d", got, row.asked)
			}
		})
	}
}

func TestRevokedIntermediate(t *testing.T) {
	t.Parallel()
	root, r := delivertest.NewAuthority(t), newResponder(t)
	sub := root.Intermediate(t, func(c *x509.Certificate) { c.CRLDistributionPoints = []string{r.URL} })
	r.bytes(list(t, root, sub.Cert.SerialNumber))
	receiver := delivertest.Start(t, root, "127.0.0.1:0", tlsConfig(sub.Issue(t)))
	client := newClient(t, receiver.Config, nil)
	if err := client.CheckAddress(t.Context(), receiver.URL); !errors.Is(err, deliver.ErrRevoked) {
		t.Errorf("CheckAddress = %v, want ErrRevoked", err)
	}
}

// A certificate's author chooses the responder's address too: it is guarded like any other.
func TestResponderIsGuarded(t *testing.T) {
	t.Parallel()
	a, r := delivertest.NewAuthority(t), newResponder(t)
	r.answer(delivertest.Answer(200))
	cert := a.Issue(t,
		func(c *x509.Certificate) { c.OCSPServer, c.CRLDistributionPoints = []string{r.URL}, []string{r.URL} })
	receiver := delivertest.Start(t, a, "127.0.0.5:0", tlsConfig(cert))
	config := receiver.Config
	config.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.5/32")}
	client := newClient(t, config, nil)
	if err := client.CheckAddress(t.Context(), receiver.URL); err != nil {
		t.Errorf("CheckAddress = %v, want nil", err)
	}
	if got := r.asked.Load(); got != 0 {
		t.Errorf("the forbidden responder was asked %d times", got)
	}
}

// A responder that hangs costs a bounded time and stops nothing.
func TestSilentResponder(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := delivertest.NewAuthority(t)
	cert := a.Issue(t, func(c *x509.Certificate) { c.OCSPServer = []string{"http://" + l.Addr().String()} })
	receiver := delivertest.Start(t, a, "127.0.0.1:0", tlsConfig(cert))
	client := newClient(t, receiver.Config, nil)
	client.SetRevocationTimeout(200 * time.Millisecond)
	if response, err := post(t, client, receiver.URL); err != nil || response.Status != 204 {
		t.Errorf("Do = %d, %v, want 204", response.Status, err)
	}
}
