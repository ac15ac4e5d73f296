package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestServerHasNoLab: no path and no header of a serving process makes worlds, names
// another one, moves time, or changes the address in links.
func TestServerHasNoLab(t *testing.T) {
	t.Parallel()
	a := start(t, config(t), false)
	for _, path := range []string{
		"/lab", "/lab/v1", "/lab/v1/worlds", "/lab/v1/snapshots", "/lab/v1/worlds/main/clock", "/w/main", "/w/main/healthz",
		"/w/default/tasks/v1/users/@me/lists", "/console/lab", "/inbox/x",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			if status, _, _ := ask(t, method, a.URL()+path, nil); status != http.StatusNotFound {
				t.Errorf("%s %s: %d, want 404", method, path, status)
			}
		}
	}
	headers := map[string]string{
		"Date": "Tue, 01 Jan 2030 00:00:00 GMT", "Stoa-World": "other", "X-Stoa-World": "other",
		"X-Stoa-Clock": "2030-01-01T00:00:00Z", "Stoa-Clock": "2030-01-01T00:00:00Z", "Forwarded": "host=evil.example",
		"X-Forwarded-Host": "evil.example", "X-Forwarded-Prefix": "/w/other", "Host": "evil.example",
	}
	_, date, body := ask(t, http.MethodGet, a.URL()+"/.well-known/openid-configuration", headers)
	if at, err := http.ParseTime(date); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("Date is %s (%v), want the machine's", date, err)
	}
	if !strings.Contains(body, `"issuer":"`+a.URL()+`"`) || strings.Contains(body, "evil") {
		t.Errorf("got %s, want links that begin with %s", body, a.URL())
	}
}

// ask makes a request with headers.
func ask(t *testing.T, method, address string, headers map[string]string) (status int, date, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	if host := headers["Host"]; host != "" {
		r.Host = host
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Date"), string(text)
}
