package backup_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
)

// FuzzRead: a manifest of any bytes is refused or names files inside of the backup only.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":1,"files":[]}`))
	f.Add([]byte(`{"format":1,"files":[{"name":"../a"}]}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := backup.Read(t.Context(), dir)
		for _, file := range m.Files {
			if err == nil && !filepath.IsLocal(filepath.FromSlash(file.Name)) {
				t.Errorf("%q is taken", file.Name)
			}
		}
	})
}
