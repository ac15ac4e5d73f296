package listen

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPrivateFromTheStart: only the owner can open a socket, before its access is set
// too.
func TestPrivateFromTheStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	for range 2 { // the second takes the place of what the first left
		l, err := listenPrivately(path)
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != os.ModeSocket|0o600 {
			t.Errorf("mode %v, want a socket with 600", got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
