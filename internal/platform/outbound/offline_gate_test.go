package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/platform/outbound"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for address, loopback := range map[string]bool{
		"http://127.0.0.1:8080/x":          true,
		"http://127.9.9.9":                 true,
		"http://[::1]:80":                  true,
		"http://[::ffff:127.0.0.1]":        true,
		"https://localhost./":              true,
		"https://a.LOCALHOST":              true,
		"https://example.com":              false,
		"https://localhost.example.com":    false,
		"http://10.0.0.1":                  false,
		"http://0.0.0.0":                   false,
		"http://[::]":                      false,
		"http://[fe80::1%25eth0]":          false,
		"http://169.254.169.254/latest":    false,
		"http://user@127.0.0.1@192.0.2.1/": false,
		"http://2130706433/":               false,
		"http://[::ffff:192.0.2.1]":        false,
		"":                                 false,
		"http://exa mple":                  false,
	} {
		err := outbound.New(true).Check(address)
		if (err == nil) != loopback || err != nil && !errors.Is(err, outbound.ErrOffline) {
			t.Errorf("offline, %q: %v, want loopback %t", address, err, loopback)
		}
		if err := outbound.New(false).Check(address); err != nil {
			t.Errorf("online, %q: %v", address, err)
		}
	}
	var none *outbound.Gate
	if none.Offline() || none.Check("https://example.com") != nil {
		t.Error("a nil Gate must let everything through")
	}
	if err := outbound.CheckURL("log.otlp", "https://example.com"); err == nil ||
		!strings.Contains(err.Error(), "log.otlp") {
		t.Errorf("CheckURL = %v, want the setting's name", err)
	}
}

// Offline, a connection to loopback is made and any other is refused before a
// name is looked up, also by way of a proxy or a redirect.
func TestDialOffline(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}
	}))
	defer server.Close()
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a name was looked up")
		return nil, errors.New("no resolver")
	}}
	transport := outbound.New(true).Transport(outbound.Options{Proxy: true, Resolver: resolver})
	if transport.Proxy != nil {
		t.Error("the transport uses a proxy")
	}
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	for address, want := range map[string]bool{
		server.URL: true, server.URL + "/away": false, "http://192.0.2.1": false, "http://registry.example": false,
	} {
		res, err := client.Get(address)
		if err == nil {
			_ = res.Body.Close()
		}
		if (err == nil) != want || err != nil && !errors.Is(err, outbound.ErrOffline) {
			t.Errorf("%s: %v, want success %t", address, err, want)
		}
	}
}

func TestControlApplies(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	refused := errors.New("refused")
	for _, offline := range []bool{false, true} {
		dial := outbound.New(offline).Dial(outbound.Options{
			Control: func(string, string, syscall.RawConn) error { return refused },
		})
		if _, err := dial(t.Context(), "tcp", server.Listener.Addr().String()); !errors.Is(err, refused) {
			t.Errorf("offline %t: %v, want the control's error", offline, err)
		}
	}
}
