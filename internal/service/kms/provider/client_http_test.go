package provider_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/kms/provider"
)

func client(t *testing.T) *provider.Client {
	t.Helper()
	c, err := provider.NewClient(nil, "the remote", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]provider.Kind{
		302: provider.Unavailable, 400: provider.Refused, 401: provider.Unauthenticated, 403: provider.Denied,
		404: provider.Disabled, 429: provider.Throttled, 500: provider.Unavailable, 503: provider.Unavailable,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.example/")
			w.WriteHeader(status)
			_, _ = w.Write([]byte("the token is s3cret\x00\nand " + strings.Repeat("long ", 100)))
		}))
		err := client(t).Do(t.Context(), provider.Call{
			Method: "GET", URL: server.URL, Secrets: []string{"s3cret"}, Reason: func(b []byte) string {
				return string(b)
			},
		}, nil)
		server.Close()
		text := err.Error()
		if provider.KindOf(err) != want {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
		if strings.Contains(text, "s3cret") || strings.ContainsAny(text, "\x00\n") || len(text) > 300 ||
			!strings.Contains(text, "the token is ***") {
			t.Errorf("%d: %q is not fit for a log line", status, text)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body string
		good bool
	}{
		"good":      {`{"a":1}`, true},
		"no JSON":   {`<html>secret</html>`, false},
		"too large": {`{"a":"` + strings.Repeat("x", 2<<20) + `"}`, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(row.body))
		}))
		var out map[string]any
		err := client(t).Do(t.Context(), provider.Call{Method: "GET", URL: server.URL}, &out)
		server.Close()
		if (err == nil) != row.good || (err != nil && strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v, good %v", name, err, row.good)
		}
	}
	if _, err := provider.NewClient(nil, "x", "/nowhere.pem"); err == nil {
		t.Error("a missing certificate file was accepted")
	}
	if got := provider.KindOf(errors.New("x")); got != provider.Unavailable {
		t.Errorf("KindOf = %s, want unavailable", got)
	}
}
