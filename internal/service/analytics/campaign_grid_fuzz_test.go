package analytics

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A grid is one of those that are offered.
func FuzzGrid(f *testing.F) {
	fuzztest.Strings(f, "5x5", "3x3", "15x15", "16x16", "05x05", "5x", "x", "5X5", "-3x-3", "5x5x5", "٥x٥")
	f.Fuzz(func(t *testing.T, template string) {
		n, err := gridSide(template)
		var own *Error
		if err != nil && !errors.As(err, &own) {
			t.Errorf("%q: got %T %v, want an *Error", template, err, err)
		}
		if err == nil && (n < minGrid || n > maxGrid) {
			t.Errorf("%q: got %d", template, n)
		}
	})
}
