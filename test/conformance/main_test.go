package conformance_test

import (
	"fmt"
	"os"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// TestMain says at the end which faults the rows have met, where they are run under
// faults.
func TestMain(m *testing.M) {
	code := m.Run()
	unmet, err := conformance.ReportFaults(os.Stdout)
	if err != nil || len(unmet) > 0 {
		fmt.Fprintln(os.Stderr, "faults that no row has met:", unmet, err)
		code = 1
	}
	os.Exit(code)
}
