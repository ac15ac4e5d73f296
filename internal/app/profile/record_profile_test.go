package profile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/profile"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

func record(t *testing.T, kind, file, d string) (any, error) {
	t.Helper()
	values := map[string][]string{"kind": {kind}, "file": {file}, "for": {d}}
	return profile.Command(clock.Real()).Run(t.Context(), &module.Input{Values: values})
}

// TestKinds: every kind is written, compressed as pprof reads it or as a trace.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	for kind, begins := range map[string]string{
		"cpu": "\x1f\x8b", "heap": "\x1f\x8b", "mutex": "\x1f\x8b", "block": "\x1f\x8b", "goroutine": "\x1f\x8b",
		"trace": "go 1.",
	} {
		file := filepath.Join(dir, kind)
		if _, err := record(t, kind, file, "20ms"); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		content, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(content, []byte(begins)) {
			t.Errorf("%s begins with %q, want %q (%v)", kind, content[:min(8, len(content))], begins, err)
		}
	}
	if _, err := record(t, "heap", filepath.Join(dir, "heap"), "20ms"); !failed(err, module.Conflict) {
		t.Errorf("a file that exists: %v, want a conflict", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ kind, d string }{
		"no such kind": {"weather", "1s"}, "too long": {"cpu", "11m"}, "no time": {"cpu", "0s"},
	} {
		file := filepath.Join(t.TempDir(), "p")
		if _, err := record(t, row.kind, file, row.d); !failed(err, module.Usage) {
			t.Errorf("%s: %v, want wrong usage", name, err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s left a file", name)
		}
	}
}

func failed(err error, want module.Failure) bool {
	var failure *module.CommandError
	return errors.As(err, &failure) && failure.Failure == want
}
