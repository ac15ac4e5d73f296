package device_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/device"
)

// TestLimitsPerNetwork holds that each operation has a budget per network, which
// nobody gets round with another address of the same IPv6 network, and that one
// network does not use another's.
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
		most   int
	}{
		{"/device/code", code, 2},
		{"/device/code", url.Values{"client_id": {"unknown"}, "scope": {"video"}}, 0}, // the same budget
		{"/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {f.id}, "refresh_token": {"guess"}}, 3},
		{"/revoke", url.Values{"token": {"guess"}}, 3},
	} {
		for n := range row.most + 1 {
			w := from("[2001:db8::"+string(rune('1'+n))+"]:99", row.target, row.form)
			if limited := strings.Contains(w.Body.String(), "rate_limit_exceeded"); limited != (n == row.most) {
				t.Errorf("%s, request %d: %d %s, want it limited: %v", row.target, n+1, w.Code, w.Body, n == row.most)
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
