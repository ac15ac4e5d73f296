package tasks_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lowers how often a property is tried: here every trial is many
// requests on two databases. The flag on the command line still decides.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
