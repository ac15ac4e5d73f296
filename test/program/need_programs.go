package program

import (
	"os"
	"os/exec"
	"testing"
)

// Need finds a program that tests start. One that is not installed fails the test where
// CI=true says that all must run; elsewhere it is skipped.
func Need(t testing.TB, name string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed; run make setup", name)
	default:
		t.Skipf("%s is not installed; run make setup", name)
	}
	return path
}
