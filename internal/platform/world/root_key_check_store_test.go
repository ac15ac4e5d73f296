package world_test

import (
	"errors"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
)

// TestOneDatabaseOneKey: a process with a folder of its own is let in with the
// key of the first and refused with any other.
func TestOneDatabaseOneKey(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "shared.db") },
		"postgres": func(t *testing.T) string { return databasetest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			shared := database.Config{URL: url(t)}
			first := t.TempDir()
			check := func(dir, key string, want error) {
				t.Helper()
				w := open(t, world.Options{Dir: dir, RootKey: key, Database: shared})
				if err := errors.Join(w.CheckKey(t.Context()), w.Close()); !errors.Is(err, want) {
					t.Errorf("folder %s, key %q: %v, want %v", filepath.Base(dir), key, err, want)
				}
			}
			check(first, "", nil)
			check(first, "", nil)
			check(t.TempDir(), filepath.Join(first, seal.KeyFile), nil)
			check(t.TempDir(), "", world.ErrForeignKey)
		})
	}
}
