package seedfolder_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/seedfolder"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"site/a.txt", "site/deep/b.txt", "site/.git/HEAD"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err := errors.Join(err, os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := seedfolder.Read(dir, "site")
	if err != nil || len(got) != 2 || got["a.txt"] != "site/a.txt" || got["deep/b.txt"] != "site/deep/b.txt" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"..", "/etc", "none"} {
		if got, err := seedfolder.Read(dir, bad); err == nil {
			t.Errorf("%s: %q, want an error", bad, got)
		}
	}
}
