package program

import (
	"os"
	"os/exec"
	"testing"
)

// Need finds a program that tests start, or the first of others that do as well. One that is not
// installed fails the test where CI=true says that all must run; elsewhere it is skipped.
func Need(t testing.TB, name string, others ...string) (path string) {
	t.Helper()
	for _, n := range append([]string{name}, others...) {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed; run make setup", name)
	}
	t.Skipf("%s is not installed; run make setup", name)
	return ""
}
