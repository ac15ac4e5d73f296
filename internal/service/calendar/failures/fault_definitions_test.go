package failures_test

import (
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/failures"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// TestCatalogue checks that each failure has a name of its own, a status, and an error
// to answer with. What they look like is compared in test/lab.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	list := failures.Catalogue(func(refusal.Code) (int, string) { return 418, "" })
	for _, f := range list {
		if seen[f.Name] || f.Status == 0 || f.Description == "" || f.Handle(httptest.NewRecorder(), nil) == nil {
			t.Errorf("%s: %+v", f.Name, f)
		}
		seen[f.Name] = true
	}
	if len(list) < 6 {
		t.Errorf("%d failures, want 6 at least", len(list))
	}
}
