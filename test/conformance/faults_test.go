package conformance_test

import (
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// TestUnderFaults is the short form of `make faults`: every request of the rows of
// tasks fails first, by each fault of the catalogue, and the rows pass.
func TestUnderFaults(t *testing.T) {
	t.Parallel()
	faults := conformance.NewFaults()
	provesTasks(t, func(t *testing.T, o conformance.Options) *conformance.Server {
		t.Helper()
		o.Faults = faults
		return conformance.Start(t, o)
	})
	met, pairs, unmet := faults.Met("tasks")
	if len(unmet) > 0 || met < 17 || pairs < 60 {
		t.Errorf("met %d faults in %d pairs with operations, not %v", met, pairs, unmet)
	}
}
