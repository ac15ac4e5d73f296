package app_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/faultrule"
)

// TestJobKinds: every kind says what it does, and rules know all of them.
func TestJobKinds(t *testing.T) {
	t.Parallel()
	kinds := app.JobKinds()
	for _, k := range kinds {
		if k.About == "" || !strings.HasSuffix(k.About, ".") {
			t.Errorf("%s says %q, want a sentence", k.Name, k.About)
		}
	}
	set := faultrule.NewSet(1, nil, app.FaultCatalogue())
	for operation, want := range map[string]string{
		"": "", "deliver.send": "", "articles.render": "", "articles.rendr": "articles.render",
	} {
		_, err := set.Add(faultrule.Rule{
			Match: faultrule.Match{Service: faultrule.Jobs, Operation: operation}, Deed: faultrule.Deed{Fail: "x"},
		})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(hint(err), want)) {
			t.Errorf("%q of %d kinds: %v, want %q", operation, len(kinds), err, want)
		}
	}
}

func hint(err error) string {
	var refused *faultrule.Error
	if errors.As(err, &refused) {
		return refused.Next
	}
	return ""
}
