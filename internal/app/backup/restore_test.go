package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
)

// TestReadRefuses: a folder without a manifest, of another format, or with a name that
// leads out of it, is no backup.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, text := range map[string]string{
		"no manifest": "", "another format": `{"format":2}`, "no JSON": `{`,
		"a name outside":         `{"format":1,"files":[{"name":"../a","sha256":"` + empty + `"}]}`,
		"a name beside the data": `{"format":1,"files":[{"name":"data/../b","sha256":"` + empty + `"}]}`,
		"a link":                 `{"format":1,"files":[{"name":"link","sha256":"` + empty + `"}]}`,
		"a device":               `{"format":1,"files":[{"name":"null","sha256":"` + empty + `"}]}`,
		"a file is missing":      `{"format":1,"files":[{"name":"data/a"}]}`,
	} {
		beside := t.TempDir()
		dir := filepath.Join(beside, "backup")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(beside, "a"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, "b"), nil, 0o600), os.Mkdir(filepath.Join(dir, "data"), 0o700),
			os.Symlink("../a", filepath.Join(dir, "link")), os.Symlink("/dev/null", filepath.Join(dir, "null")),
		); err != nil {
			t.Fatal(err)
		}
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

// TestFilesFillAVolume: a folder that is there is filled in place, with nothing beside it.
func TestFilesFillAVolume(t *testing.T) {
	t.Parallel()
	from, parent := t.TempDir(), t.TempDir()
	data := filepath.Join(parent, "data")
	// A new volume is not empty on some file systems.
	for _, dir := range []string{filepath.Join(data, "lost+found"), filepath.Join(from, "data", "git", "refs")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(from, "data", "git", "HEAD"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	m := backup.Manifest{Files: []backup.File{{Name: "data/git/HEAD"}}}
	if err := backup.Files(t.Context(), from, data, m); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(data)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder was replaced: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(data, "git", "HEAD"))
	if err != nil || string(text) != "x" {
		t.Errorf("got %q, %v", text, err)
	}
	for dir, want := range map[string][]string{parent: {"data"}, data: {"git", "lost+found"}} {
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		for i := range left {
			left[i] = filepath.Base(left[i])
		}
		if err != nil || !slices.Equal(left, want) {
			t.Errorf("%s holds %v, %v; want %v alone", dir, left, err, want)
		}
	}
}
