package weights

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/engine/enginetest"
)

// helloHash is that of the text hello.
const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

// folderOf is a folder that looks for one library of five bytes.
func folderOf(t testing.TB) *Folder {
	t.Helper()
	return &Folder{dir: t.TempDir(), supported: true, libraries: Libraries{
		Folder: "package/lib/", Files: map[string]string{"a.so": helloHash},
	}}
}

// An archive of a registry writes nothing but the files that are known, whatever
// names and sizes it holds.
func FuzzEngineArchive(f *testing.F) {
	for _, seed := range [][]byte{
		engineOf(f, "package/lib/a.so", "hello"), engineOf(f, "package/lib/../../../a.so", "hello"),
		engineOf(f, "/package/lib/a.so", "other"), []byte("\x1f\x8b"), {},
	} {
		enginetest.AddSeed(f, seed)
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		w := folderOf(t)
		file := filepath.Join(t.TempDir(), "archive")
		if err := os.WriteFile(file, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		failed := w.unpackLibraries(file)
		checkFiles(t, w.dir, failed == nil)
	})
}

// A model is what its hash says, or not there.
func FuzzModelArchive(f *testing.F) {
	for _, seed := range [][]byte{
		modelOf(f, "m.gguf", "hello"), modelOf(f, "m.gguf", "other"), modelOf(f, "../m.gguf", "hello"),
		[]byte("PK\x05\x06"), {},
	} {
		enginetest.AddSeed(f, seed)
	}
	m := Model{Name: "m", Member: "m.gguf", Size: 5, SHA256: helloHash}
	f.Fuzz(func(t *testing.T, archive []byte) {
		w := folderOf(t)
		file := filepath.Join(t.TempDir(), "archive")
		if err := os.WriteFile(file, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		failed := w.unpackModel(file, m)
		checkFiles(t, w.dir, failed == nil)
	})
}

// checkFiles looks at everything that was written.
func checkFiles(t *testing.T, dir string, whole bool) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || !strings.Contains(path, "engine") && !strings.Contains(path, "weights.gguf") {
			t.Errorf("%s was written", path)
		}
		if !strings.Contains(path, ".new") {
			if found = true; string(text) != "hello" {
				t.Errorf("%s holds %q", path, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if whole != found {
		t.Errorf("unpacked: %v, there: %v", whole, found)
	}
}

func engineOf(f *testing.F, name, text string) []byte {
	f.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o600}); err != nil {
		f.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

func modelOf(f *testing.F, name, text string) []byte {
	f.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}
