package failures_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/articles/failures"
)

// TestNames: a rule finds one fault by its name, with the status that the service gives.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	all := failures.All("articles", func(err error) int { return 400 + len(err.Error())%2 })
	for _, f := range all {
		if seen[f.Name] || f.Name == "" || f.Description == "" || f.Handle == nil || f.Status/2 != 200 {
			t.Errorf("fault %+v", f)
		}
		seen[f.Name] = true
	}
	if len(all) != 10 {
		t.Errorf("%d faults, want 10", len(all))
	}
}
