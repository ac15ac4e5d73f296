package sdkwarning

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnSDKIsToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	answered := 0
	h := Handler(slog.New(slog.NewTextHandler(&log, nil)), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		answered++
	}))
	for _, agent := range []string{"curl/8.0", "go-github/v75.0.0", "octokit-rest.js/21 octokit-core.js/6"} {
		r := httptest.NewRequest(http.MethodGet, "/events", http.NoBody)
		r.Header.Set("User-Agent", agent)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if answered != 3 || strings.Count(log.String(), "--dialect sdk") != 1 || !strings.Contains(log.String(), "go-github") {
		t.Errorf("%d answered, log %s; want 3, and one line about the first SDK", answered, log.String())
	}
}

func TestSDKAgents(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, agent string
		known       bool
	}{
		{"User-Agent", "google-api-nodejs-client/9.15.1 (gzip)", true},
		{"User-Agent", "google-api-go-client/0.5", true},
		{"X-Goog-Api-Client", "gdcl/2.1 gl-python/3.12", true},
		{"User-Agent", "PyGithub/Python", true},
		{"User-Agent", "datadog-api-client-go/2.30.0 (go go1.26; os linux)", true},
		{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64)", false},
		{"User-Agent", "Go-http-client/1.1", false},
		{"User-Agent", "", false},
	} {
		if got := sdkAgent(http.Header{row.name: {row.agent}}); (got != "") != row.known {
			t.Errorf("%s: %s: found %q, want known %v", row.name, row.agent, got, row.known)
		}
	}
}
