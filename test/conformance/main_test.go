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
	if err != nil {
		fmt.Fprintln(os.Stderr, "report the faults:", err)
		code = 1
	}
	// Some operations have no row that calls them as a client does; test/lab causes
	// every fault of the catalogue.
	if len(unmet) > 0 {
		fmt.Println("faults that no row has met:", unmet)
	}
	os.Exit(code)
}
