package cors_test

import (
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route/cors"
)

// TestPolicy checks the headers with and without another origin.
func TestPolicy(t *testing.T) {
	t.Parallel()
	policy := cors.Policy{Expose: []string{"Link"}}
	for _, origin := range []string{"", "https://page.example"} {
		r, w := httptest.NewRequest("OPTIONS", "/", nil), httptest.NewRecorder()
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "PUT")
		policy.SetHeaders(w, r)
		policy.Preflight(w, r, []string{"GET", "PUT"})
		allowed, age := w.Header().Get("Access-Control-Allow-Methods"), w.Header().Get("Access-Control-Max-Age")
		if origin == "" && len(w.Header()) != 0 || origin != "" && (allowed != "GET, PUT" || age != "600") {
			t.Errorf("origin %q: %v", origin, w.Header())
		}
	}
}
