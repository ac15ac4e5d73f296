package tempfolder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/folderlock"
)

func TestMakeBelowParent(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir, err := Make(parent)
	if err != nil || filepath.Dir(dir) != parent || !strings.HasPrefix(filepath.Base(dir), prefix) {
		t.Errorf("made %s, error %v, want it below %s", dir, err, parent)
	}
}

// TestMakeRemovesWhatWasLeft removes old folders without an owner and no others.
func TestMakeRemovesWhatWasLeft(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(parent, name)
		if err := os.WriteFile(mustMake(t, dir)+"/file", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	owned := mustMake(t, filepath.Join(parent, prefix+"owned"))
	lock, err := folderlock.Open(owned)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	at := time.Now().Add(-2 * leftAfter)
	if err := os.Chtimes(owned, at, at); err != nil {
		t.Fatal(err)
	}
	left := folder(prefix+"left", 2*leftAfter)
	kept := []string{owned, folder(prefix+"young", leftAfter/2), folder("other", 2*leftAfter)}
	made, err := makeIn(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(kept, made) {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is there", left)
	}
}

func mustMake(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
