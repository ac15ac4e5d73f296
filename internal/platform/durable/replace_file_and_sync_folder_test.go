package durable_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/platform/durable"
)

// TestReplace: the file has the new content and mode, nothing is left beside it, and what cannot be written is
// an error.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	for _, text := range []string{"a longer one", "one"} {
		if err := durable.Replace(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the file alone", entries, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v, %v; want 600", info, err)
	}
	if err := durable.Replace(filepath.Join(dir, "none", "f"), nil, 0o600); err == nil {
		t.Error("a file was written in a folder that is not there")
	}
	if err := durable.SyncFolder(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was flushed")
	}
}
