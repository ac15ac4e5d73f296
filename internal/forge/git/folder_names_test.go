package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldersStayBelow: rows name folders, and a database may have come from anywhere. No name leads elsewhere.
func TestFoldersStayBelow(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	mine := filepath.Join(outside, "mine.git")
	if err := os.MkdirAll(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Dir: filepath.Join(outside, "data", "git")})
	for _, folder := range []string{
		"../../.." + strings.Repeat("/", FolderLength-len("../../..")-4) + "mine", "../../../mine", "", "a",
		strings.Repeat("A", FolderLength), strings.Repeat(".", FolderLength),
	} {
		if path := r.Path(folder); filepath.Dir(path) != r.root || !strings.HasSuffix(path, ".git") {
			t.Errorf("%q is the folder %s", folder, path)
		}
		if err := r.Remove(folder); err == nil {
			t.Errorf("%q is removed", folder)
		}
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("the folder of another is gone: %v", err)
	}
	good := strings.Repeat("0f", FolderLength/2)
	if got, want := r.Path(good), filepath.Join(r.root, "0f", good+".git"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
