package lab

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRefillFolder(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	immutable := []string{"git/**"}
	write := func(folder, name, text string) {
		t.Helper()
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(from, "stoa.db", "created")
	write(from, "git/a/one", "first")
	write(from, "git/a/two", "second")
	write(from, "empty/kept", "")
	if err := copyFolder(from, to, immutable); err != nil {
		t.Fatal(err)
	}
	// What a world does: it writes, adds, removes, and puts folders where files were.
	write(to, "stoa.db", "much longer than it was when the world was created")
	write(to, "stoa.db-wal", "log")
	write(to, "git/a/three", "third")
	write(to, "new/folder/file", "new")
	for _, name := range []string{"git/a/two", "empty"} {
		if err := os.RemoveAll(filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(to, "git/a/two/not-a-file", "third")
	if err := refillFolder(from, to, immutable); err != nil {
		t.Fatal(err)
	}
	if got, want := contents(t, to), contents(t, from); !slices.Equal(got, want) {
		t.Errorf("the folder has\n%q, want\n%q", got, want)
	}
	if !sameFile(filepath.Join(from, "git/a/one"), filepath.Join(to, "git/a/one")) {
		t.Error("a file that never changes was copied")
	}
	if sameFile(filepath.Join(from, "stoa.db"), filepath.Join(to, "stoa.db")) {
		t.Error("a file that changes is shared")
	}
}

// A file that another name leads to is not written to, whatever its name is.
func TestRefillFolderLeavesSharedFiles(t *testing.T) {
	t.Parallel()
	from, to, elsewhere := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "other")
	for path, text := range map[string]string{filepath.Join(from, "f"): "base", elsewhere: "other"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(elsewhere, filepath.Join(to, "f")); err != nil {
		t.Fatal(err)
	}
	if err := refillFolder(from, to, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "other" {
		t.Errorf("the other name leads to %q, %v", text, err)
	}
	if got, want := contents(t, to), contents(t, from); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// contents lists names and texts below a folder.
func contents(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, p)
		if err == nil && d.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(p)
			name += "=" + string(text)
		}
		list = append(list, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
