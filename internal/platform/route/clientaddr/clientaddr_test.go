package clientaddr_test

import (
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

func TestLoopbackHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "a.localhost.": true, "127.0.0.9:1": true, "[::1]:80": true,
		"::ffff:127.0.0.1": true, "example.org": false, "localhost.example.org": false, "10.0.0.1": false,
	} {
		if got := clientaddr.LoopbackHost(host); got != want {
			t.Errorf("%s: got %t, want %t", host, got, want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "[2001:db8::1]:80"
	if clientaddr.Loopback(r) || clientaddr.Network(r) != "2001:db8::/64" {
		t.Errorf("%s is of %s", clientaddr.Address(r), clientaddr.Network(r))
	}
	if clientaddr.SetLoopback(r); !clientaddr.Loopback(r) {
		t.Error("SetLoopback has no effect")
	}
}
