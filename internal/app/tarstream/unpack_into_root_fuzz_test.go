package tarstream_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzUnpack: whatever a stream holds, nothing is written beside the folder.
func FuzzUnpack(f *testing.F) {
	fuzztest.Bytes(f, pack(f, "a", "folder/", "folder/b"), pack(f, "../out"), pack(f, "link@", "link/out"), []byte{})
	f.Fuzz(func(t *testing.T, stream []byte) {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unpack(t, dir, stream); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		if beside, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(beside) != 1 {
			t.Errorf("%q left %v, %v", stream, beside, err)
		}
	})
}
