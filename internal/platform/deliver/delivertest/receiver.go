package delivertest

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/deliver"
)

// Received is one request that came in.
type Received struct {
	Method string
	URL    string
	Header http.Header
	Body   string
}

// Receiver is an HTTPS server on loopback. It answers 204 until told otherwise.
type Receiver struct {
	// URL is its address, without a path.
	URL string
	// Config lets a client trust and reach it.
	Config deliver.Config

	server *httptest.Server
	mu     sync.Mutex
	got    []Received
	answer http.HandlerFunc
	opened int
}

// NewReceiver starts a receiver with a certificate of an authority of its own.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	a := NewAuthority(t)
	return Start(t, a, "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{a.Issue(t)}})
}

// Start starts a receiver with a certificate of the caller's choice.
func Start(t testing.TB, a *Authority, listen string, config *tls.Config) *Receiver {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	return Serve(t, a, l, config)
}

// Serve is Start on a port that is taken already.
func Serve(t testing.TB, a *Authority, l net.Listener, config *tls.Config) *Receiver {
	t.Helper()
	r := &Receiver{answer: Answer(http.StatusNoContent)}
	r.Config = deliver.Config{TrustedCAFile: a.File, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	_ = r.server.Listener.Close() // replaced before its first connection
	r.server.Listener = countingListener{l, r}
	r.server.TLS = config
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0) // Failed handshakes are what tests are about.
	r.server.StartTLS()
	r.URL = r.server.URL
	t.Cleanup(r.server.Close)
	return r
}

// Answer always answers with a status.
func Answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// Sequence answers with one status after the other; the last one stays.
func Sequence(statuses ...int) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		mu.Unlock()
		w.WriteHeader(status)
	}
}

// Reply decides how requests are answered from now on.
func (r *Receiver) Reply(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = h
}

// Requests is everything that came in so far.
func (r *Receiver) Requests() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Received{}, r.got...)
}

// Connections is how often a client connected, whatever came of it.
func (r *Receiver) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened
}

// Drop breaks all connections.
func (r *Receiver) Drop() { r.server.CloseClientConnections() }

func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // The sender went away.
	}
	r.mu.Lock()
	r.got = append(r.got, Received{req.Method, req.URL.String(), req.Header.Clone(), string(body)})
	answer := r.answer
	r.mu.Unlock()
	answer(w, req)
}

type countingListener struct {
	net.Listener
	r *Receiver
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.r.mu.Lock()
		l.r.opened++
		l.r.mu.Unlock()
	}
	return conn, err
}
