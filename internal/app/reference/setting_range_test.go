package reference_test

import (
	"regexp"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/reference"
)

// TestRangesAreReadAfterTakes: "takes" and the range are one sentence, and durations are as readers write them.
func TestRangesAreReadAfterTakes(t *testing.T) {
	t.Parallel()
	odd := regexp.MustCompile(`^not |and not |[hm]0[ms]`)
	config, tried := app.DefaultConfig(), 0
	for _, s := range reference.Settings(&config) {
		words := reference.Range(s.Setting)
		if words != "" {
			tried++
		}
		if odd.MatchString(words) {
			t.Errorf("%s takes %s", s.Name, words)
		}
	}
	if tried < 50 {
		t.Errorf("%d settings have a range, want at least 50", tried)
	}
}
