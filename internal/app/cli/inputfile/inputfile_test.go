package inputfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/platform/module"
)

// TestRead: a file is read whole; one that is not there, and a folder, are refused by name with the step that
// the command gives.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(file, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := inputfile.Read(file, "write one"); err != nil || string(text) != "a: 1\n" {
		t.Errorf("got %q, %v", text, err)
	}
	for _, row := range []struct {
		name, message string
		kind          module.Failure
	}{
		{filepath.Join(dir, "b.yaml"), "there is no file ", module.NotFound},
		{filepath.Join(file, "b.yaml"), "there is no file ", module.NotFound},
		{dir, " is a folder, not a file", module.Usage},
	} {
		_, err := inputfile.Read(row.name, "write one")
		var failure *module.CommandError
		if !errors.As(err, &failure) || failure.Failure != row.kind || !strings.Contains(failure.Message, row.message) ||
			!strings.Contains(failure.Message, row.name) || failure.Next != "write one" {
			t.Errorf("%s: got %+v, want %q", row.name, failure, row.message)
		}
	}
}
