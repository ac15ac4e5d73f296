package tarstream_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/tarstream"
)

// pack is a stream of files that say their name, folders where it ends in a slash, and a
// link where it ends in @.
func pack(t testing.TB, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, name := range names {
		h := &tar.Header{Name: name, Mode: 0o755, Typeflag: tar.TypeReg, Size: int64(len(name))}
		if link, ok := strings.CutSuffix(name, "@"); ok {
			h = &tar.Header{Name: link, Linkname: "/", Typeflag: tar.TypeSymlink}
		} else if strings.HasSuffix(name, "/") {
			h.Typeflag, h.Size = tar.TypeDir, 0
		}
		if err := to.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, name[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unpack writes a stream below dir; entries that begin with "left" are left out.
func unpack(t *testing.T, dir string, stream []byte) error {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return tarstream.Unpack(root, tar.NewReader(bytes.NewReader(stream)), tarstream.Options{
		Sync: true,
		Place: func(h *tar.Header) (string, fs.FileMode, error) {
			switch {
			case h.Name == "refused":
				return "", 0, fs.ErrPermission
			case strings.HasPrefix(h.Name, "left"):
				return "", 0, nil
			}
			return h.Name, 0o700, nil
		},
	})
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unpack(t, dir, pack(t, "a", "folder/", "folder/b", "new/deep/c", "left@", "left/d")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "folder/b", "new/deep/c"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != name {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]string{
		"a path that leads out":   {"../out"},
		"a folder that leads out": {"../out/"},
		"a link":                  {"link@"},
		"a file over another":     {"a", "a"},
		"what is refused":         {"refused"},
	} {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		err := unpack(t, dir, pack(t, entries...))
		if unread := new(tarstream.ReadError); err == nil || errors.As(err, &unread) {
			t.Errorf("%s: %v", name, err)
		}
		if beside, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(beside) != 1 {
			t.Errorf("%s: %v, %v", name, beside, err)
		}
	}
	whole := pack(t, "a", "b")
	err := unpack(t, t.TempDir(), whole[:1200])
	if unread := new(tarstream.ReadError); !errors.As(err, &unread) {
		t.Errorf("a stream that was cut gives %v", err)
	}
}
