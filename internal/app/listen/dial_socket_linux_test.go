package listen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/listen"
)

// TestSocketInAFolderWithALongPath: a folder may have a longer path than the address of
// a socket holds, and Linux names open folders.
func TestSocketInAFolderWithALongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("a", 90), strings.Repeat("b", 90))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.sock")
	l, err := listen.Socket(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := listen.DialSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := listen.Socket(path); err == nil || !strings.Contains(err.Error(), "another process answers") {
		t.Errorf("a second listener: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the file after Close: %v", err)
	}
	if again, err := listen.Socket(path); err != nil {
		t.Error(err)
	} else if err := again.Close(); err != nil {
		t.Error(err)
	}
}
