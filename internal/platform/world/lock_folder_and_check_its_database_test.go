package world_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/world"
)

// TestServerWaitsForCommand: a command that has the folder for a moment does not keep
// the server from starting; a second server does at once.
func TestServerWaitsForCommand(t *testing.T) {
	dir := t.TempDir()
	command, err := folderlock.OpenForCommand(dir)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = clock.Sleep(t.Context(), clock.Real(), 200*time.Millisecond)
		_ = command.Unlock()
	}()
	w, err := world.Open(t.Context(), world.Options{Dir: dir})
	if err != nil {
		t.Fatalf("beside a command: %v", err)
	}
	var owned *folderlock.OwnedError
	began := time.Now()
	if _, err := world.Open(t.Context(), world.Options{Dir: dir}); !errors.As(err, &owned) || owned.Command {
		t.Errorf("beside a server: %v, want its owner", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("refused after %s, want at once", took)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestFolderOfAnotherDatabase: no SQLite file is made in the folder of a node on
// PostgreSQL.
func TestFolderOfAnotherDatabase(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "node.id"), []byte("0123"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := world.Open(t.Context(), world.Options{Dir: dir, Command: true}); !errors.Is(err, world.ErrOtherDatabase) {
		t.Errorf("got %v, want it refused", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "stoa.db")); err == nil {
		t.Error("a file was made all the same")
	}
}

// TestFolderWithoutItsDatabase: a folder that has lost its database does not get an empty
// one in silence.
func TestFolderWithoutItsDatabase(t *testing.T) {
	dir := t.TempDir()
	w, err := world.Open(t.Context(), world.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "stoa.db")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []bool{true, false} {
		o := world.Options{Dir: dir, Command: command}
		if _, err := world.Open(t.Context(), o); !errors.Is(err, world.ErrNoDatabase) {
			t.Errorf("got %v, want it refused", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "stoa.db")); err == nil {
		t.Error("a file was made all the same")
	}
}
