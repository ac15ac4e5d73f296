package folderlock_test

import (
	"errors"
	"os"
	"testing"

	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// What other processes see is tested with the database.
func TestOpenTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := folderlock.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var owned *folderlock.OwnedError
	if _, err := folderlock.Open(dir); !errors.As(err, &owned) || owned.PID != os.Getpid() {
		t.Errorf("Open of a locked folder = %v, want its owner %d", err, os.Getpid())
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := folderlock.Open(dir)
	if err != nil {
		t.Fatalf("Open after Unlock: %v", err)
	}
	if err := again.Unlock(); err != nil {
		t.Fatal(err)
	}
}
