package listen

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestBehindProxies(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, row := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"a proxy names the client":       {"10.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9:0"},
		"two proxies in a row":           {"10.0.0.1:5", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9:0"},
		"a client who lies":              {"10.0.0.1:5", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9:0"},
		"two header lines":               {"10.0.0.1:5", []string{"198.51.100.1", "203.0.113.9"}, "203.0.113.9:0"},
		"an address of six":              {"[fd00::1]:5", []string{"2001:db8::7"}, "[2001:db8::7]:0"},
		"another peer is not believed":   {"203.0.113.9:5", []string{"198.51.100.1"}, "203.0.113.9:5"},
		"no header":                      {"10.0.0.1:5", nil, "10.0.0.1:5"},
		"junk in the header":             {"10.0.0.1:5", []string{"198.51.100.1, what"}, "10.0.0.1:5"},
		"only proxies":                   {"10.0.0.1:5", []string{"10.0.0.3"}, "10.0.0.1:5"},
		"a mapped address is its own v4": {"[::ffff:10.0.0.1]:5", []string{"::ffff:203.0.113.9"}, "203.0.113.9:0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			h := BehindProxies(trusted, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = row.peer
			r.Header["X-Forwarded-For"] = row.forwarded
			h.ServeHTTP(httptest.NewRecorder(), r)
			if got != row.want {
				t.Errorf("client = %q, want %q", got, row.want)
			}
		})
	}
}
