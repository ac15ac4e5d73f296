package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/platform/module"
)

// TestRefusalsNameTheCause: what is named instead of a backup, and what is wrong with one, is said
// with a step that mends it.
func TestRefusalsNameTheCause(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder := func(name, manifest string) string { return filepath.Dir(write(name+"/manifest.json", manifest)) }
	for _, row := range []struct{ name, dir, message, next string }{
		{"nothing", filepath.Join(dir, "none"), "there is no folder ", "name the folder that the backup was written to"},
		{"another folder", filepath.Dir(write("mine/notes", "")), "is not a backup", "name the folder that the backup"},
		{"what the console downloads", write("b.tar", ""), "b.tar is a file", "unpack it: mkdir backup && tar -xf "},
		{"a cut manifest", folder("cut", `{"format":1,`), "is damaged: unexpected end", "another backup"},
		{"a later format", folder("later", `{"format":2,"version":"3.1"}`), "has format 2, and this version reads 1", "3.1"},
		{"a root key that is kept apart", folder("apart", `{"format":1,"files":[{"name":"data/root.key"}]}`),
			"apart lacks data/root.key", "put it back"},
	} {
		_, err := backup.Read(t.Context(), row.dir)
		var failure *module.CommandError
		if !errors.As(err, &failure) || !strings.Contains(failure.Message, row.message) ||
			!strings.Contains(failure.Next, row.next) {
			t.Errorf("%s: got %+v, want %q and %q", row.name, failure, row.message, row.next)
		}
	}
}
