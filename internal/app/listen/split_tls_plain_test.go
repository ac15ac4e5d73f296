package listen_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/listen"
)

// shared is a server whose one port answers HTTP and HTTPS.
func shared(t *testing.T) (s *listen.Server, roots *x509.CertPool) {
	t.Helper()
	// The certificate of httptest is for 127.0.0.1.
	lent := httptest.NewTLSServer(http.NotFoundHandler())
	defer lent.Close()
	roots = x509.NewCertPool()
	roots.AddCert(lent.Certificate())
	s = listen.NewServer(listen.Options{Config: listen.Config{HTTP: "127.0.0.1:0"}})
	if err := s.Bind(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.ShareTLS(&tls.Config{Certificates: lent.TLS.Certificates, MinVersion: tls.VersionTLS12})
	s.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		_, _ = io.Copy(w, io.MultiReader(strings.NewReader(scheme+" "+r.Proto+" "), r.Body))
	}), slog.New(slog.DiscardHandler))
	return s, roots
}

func TestOnePortAnswersBoth(t *testing.T) {
	t.Parallel()
	s, roots := shared(t)
	if want := strings.Replace(s.URL(), "http:", "https:", 1); s.HTTPSURL() != want {
		t.Errorf("HTTPS is at %s, want %s", s.HTTPSURL(), want)
	}
	for _, row := range []struct {
		name, base, want string
		http2            bool
	}{
		{"http", s.URL(), "http HTTP/1.1 hello", false},
		{"https", s.HTTPSURL(), "https HTTP/1.1 hello", false},
		{"https over HTTP/2", s.HTTPSURL(), "https HTTP/2.0 hello", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: row.http2}
			defer transport.CloseIdleConnections()
			response, err := (&http.Client{Transport: transport}).Post(row.base, "text/plain", strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, err := io.ReadAll(response.Body); string(text) != row.want || err != nil {
				t.Errorf("got %q (%v), want %q", text, err, row.want)
			}
		})
	}
	// A client that says nothing does not keep the server from closing.
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := s.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://")); err == nil {
		t.Error("the port is still open")
	}
}
