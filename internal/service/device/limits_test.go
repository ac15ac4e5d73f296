package device_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/device"
)

// TestLimitsPerNetwork checks that each operation has a budget per network, which
// other addresses of the same IPv6 network share, and that one network does not
// use another's.
func TestLimitsPerNetwork(t *testing.T) {
	t.Parallel()
	c := device.DefaultConfig()
	c.CodesPerNetwork, c.RequestsPerMinute = 2, 3
	h := identitytest.SQLite(t, build(c))
	f := newFlow(t, h) // from the recorder's own address
	from := func(address, target string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", target, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = address
		return h.Do(r)
	}
	code := url.Values{"client_id": {f.id}, "scope": {"video"}}
	for _, row := range []struct {
		target string
		form   url.Values
		limit  int
	}{
		{"/device/code", code, 2},
		{"/device/code", url.Values{"client_id": {"unknown"}, "scope": {"video"}}, 0}, // the same budget
		{"/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {f.id}, "refresh_token": {"guess"}}, 3},
		{"/revoke", url.Values{"token": {"guess"}}, 3},
	} {
		for n := range row.limit + 1 {
			w := from("[2001:db8::"+string(rune('1'+n))+"]:99", row.target, row.form)
			if limited := strings.Contains(w.Body.String(), "rate_limit_exceeded"); limited != (n == row.limit) {
				t.Errorf("%s, request %d: %d %s, want it limited: %v", row.target, n+1, w.Code, w.Body, n == row.limit)
			}
		}
	}
	if w := from("[2001:db8:0:1::1]:99", "/device/code", code); w.Code != 200 {
		t.Errorf("from another network: %d %s, want 200", w.Code, w.Body)
	}
	h.Clock.Advance(time.Minute)
	if w := from("[2001:db8::9]:99", "/device/code", code); w.Code != 200 {
		t.Errorf("a minute later: %d %s, want 200", w.Code, w.Body)
	}
}

// TestOneNetworkDoesNotUseUpAClient checks that one network that knows the id of
// a client cannot keep other networks from its codes.
func TestOneNetworkDoesNotUseUpAClient(t *testing.T) {
	t.Parallel()
	c := device.DefaultConfig()
	c.CodesPerMinute = 2
	h := identitytest.SQLite(t, build(c))
	f := newFlow(t, h)
	ask := func(address string) string {
		form := url.Values{"client_id": {f.id}, "scope": {"video"}}
		r := httptest.NewRequest("POST", "/device/code", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = address
		return h.Do(r).Body.String()
	}
	const limited = "rate_limit_exceeded"
	for n := range 3 {
		if got := ask("192.0.2.9:9"); strings.Contains(got, limited) != (n == 2) {
			t.Errorf("request %d of one network: %s, want it limited: %v", n+1, got, n == 2)
		}
	}
	// The others have a hundred times as many together, of which three are used.
	for n := range 197 {
		if got := ask(fmt.Sprintf("198.51.100.%d:9", 1+n/2)); strings.Contains(got, limited) {
			t.Fatalf("request %d of other networks: %s", n+1, got)
		}
	}
	if got := ask("203.0.113.1:9"); !strings.Contains(got, limited) {
		t.Errorf("beyond what all may: %s, want it limited", got)
	}
}
