package labtest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and finds goroutines that they leave behind.
// templates is set to a folder for Options.Cache: making the demo is most of what a
// new lab costs, and one world made from nothing serves all tests of the process.
func Main(m *testing.M, templates *string) {
	dir, err := os.MkdirTemp("", "templates")
	if err != nil {
		fmt.Fprintln(os.Stderr, "labtest:", err)
		os.Exit(1)
	}
	*templates = dir
	goleak.VerifyTestMain(m,
		// The clock of the highlighter's regular expressions is not ours.
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"),
		goleak.Cleanup(func(code int) {
			if err := os.RemoveAll(dir); err != nil {
				fmt.Fprintln(os.Stderr, "labtest:", err)
			}
			os.Exit(code)
		}))
}
