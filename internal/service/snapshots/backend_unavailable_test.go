package snapshots_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// TestBackendUnavailable: a metrics backend that does not answer is no fault of the query, and callers are told when to
// try again.
func TestBackendUnavailable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	config := snapshots.DefaultConfig()
	config.Backend = gone.URL
	h := identitytest.SQLite(t, build(config))
	ada := newClient(t, h, "ada")
	w := ada.get("/api/v1/query", map[string][]string{"query": {"avg:cpu{*}"}, "from": {"1"}, "to": {"100"}})
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" {
		t.Errorf("a query: %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
}
