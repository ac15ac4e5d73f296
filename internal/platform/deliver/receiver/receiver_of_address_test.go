package receiver_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/deliver/receiver"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com/a?b#c":           "example.com",
		"https://example.com:443":             "example.com",
		"HTTPS://Example.COM.:443/":           "example.com",
		"https://example.com.":                "example.com",
		"https://example.com:8443/x":          "example.com:8443",
		"https://EXAMPLE.com.:8443":           "example.com:8443",
		"https://example.com:80/":             "example.com:80",
		"http://127.0.0.1:80/":                "127.0.0.1",
		"http://127.0.0.1:443/":               "127.0.0.1:443",
		"https://127.0.0.1:1/":                "127.0.0.1:1",
		"https://[2001:DB8::1]/":              "[2001:db8::1]",
		"https://[2001:db8:0:0::1]:443/":      "[2001:db8::1]",
		"https://[2001:db8:0:0:0:0:0:1]:444/": "[2001:db8::1]:444",
		"https://example.com/x?…":             "example.com",
		"https://a b/":                        "https://a b/",
	} {
		if got := receiver.Of(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
