package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/service/generate/backend/local"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	if got, err := local.Program("/x/engine", ""); err != nil || got != "/x/engine" {
		t.Errorf("configured = %q, %v", got, err)
	}
	if _, err := local.Program("", t.TempDir()); !errors.Is(err, local.ErrNoProgram) {
		t.Errorf("without a program: %v, want ErrNoProgram", err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(own), "stoa-engine")
	if err := os.WriteFile(beside, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(beside) })
	if got, err := local.Program("", t.TempDir()); err != nil || got != beside {
		t.Errorf("beside = %q, %v, want %q", got, err, beside)
	}
}
