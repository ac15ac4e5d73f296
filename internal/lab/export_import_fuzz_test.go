package lab

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// FuzzArchive: whatever is imported, nothing is written beside the new folder.
func FuzzArchive(f *testing.F) {
	pack := func(entries ...string) []byte {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		writer := tar.NewWriter(zipped)
		for _, name := range entries {
			text := `{"version":1,"dialect":"sdk","state":{"mode":"real","now":"2026-03-01T09:00:00Z"}}`
			if err := writer.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
				f.Fatal(err)
			}
			if _, err := writer.Write([]byte(text)); err != nil {
				f.Fatal(err)
			}
		}
		if err := writer.Close(); err != nil {
			f.Fatal(err)
		}
		if err := zipped.Close(); err != nil {
			f.Fatal(err)
		}
		return out.Bytes()
	}
	f.Add([]byte("nonsense"))
	f.Add(pack(manifestFile))
	f.Add(pack(manifestFile, "data/stoa.db"))
	f.Add(pack(manifestFile, "data/../../escaped"))
	f.Add(pack(manifestFile, "/etc/passwd"))
	f.Fuzz(func(t *testing.T, file []byte) {
		dir := t.TempDir()
		_, err := readArchive(bytes.NewReader(file), filepath.Join(dir, "in", "data"), app.DefaultConfig())
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 {
			t.Errorf("beside the new folder: %v, %v", entries, err)
		}
	})
}
