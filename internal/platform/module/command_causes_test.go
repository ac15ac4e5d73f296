package module_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
)

// TestFailKeepsCauses: an error that is made of two is found by either.
func TestFailKeepsCauses(t *testing.T) {
	t.Parallel()
	one, two := errors.New("one"), errors.New("two")
	err := module.Fail(module.Config, "go on", "%w: %w", one, two)
	if !errors.Is(err, one) || !errors.Is(err, two) || err.Error() != "one: two; go on" {
		t.Errorf("got %v", err)
	}
}
