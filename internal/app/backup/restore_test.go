package backup_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
)

// TestReadRefuses: a folder without a manifest, of another format, or with a name that
// leads out of it, is no backup.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no manifest": "", "another format": `{"format":2}`, "no JSON": `{`,
		"a name outside":    `{"format":1,"files":[{"name":"../a"}]}`,
		"a file is missing": `{"format":1,"files":[{"name":"data/a"}]}`,
	} {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := backup.Read(t.Context(), dir); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

// TestFilesRefuse: a folder that holds something is left alone.
func TestFilesRefuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := backup.Files(t.Context(), t.TempDir(), dir, backup.Manifest{}); err == nil {
		t.Error("a folder with files was taken")
	}
}
