package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/service/events/hostpaths"
)

// TestDocumentedPaths: every path of the code host's documented API is answered in its form, also where nothing is
// served.
func TestDocumentedPaths(t *testing.T) {
	a, err := app.New(t.Context(), app.Options{
		Config: config(t), Clock: clock.NewVirtual(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), IDs: ids.Seeded(1),
		NoHTTP: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	for _, segment := range hostpaths.Segments() {
		for _, method := range []string{"GET", "POST"} {
			for _, path := range []string{"/" + segment, "/" + segment + "/no/such/thing/there"} {
				w := httptest.NewRecorder()
				a.Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
				var refused struct {
					Message       string
					Documentation string `json:"documentation_url"`
				}
				_ = json.Unmarshal(w.Body.Bytes(), &refused) // what is no JSON lacks the members too
				if w.Code != http.StatusOK && (refused.Message == "" || refused.Documentation == "") {
					t.Errorf("%s %s: %d %.200s, want the code host's form", method, path, w.Code, w.Body)
				}
			}
		}
	}
}
