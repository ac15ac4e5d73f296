package database_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

// TestHoldFiles copies the file of a database in use.
func TestHoldFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(path string) *database.DB {
		t.Helper()
		db, err := database.Open(t.Context(), database.Options{URL: "sqlite:" + path, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
	path := filepath.Join(dir, "one.db")
	db := open(path)
	if err := errors.Join(db.Migrate(t.Context(), notes()), insertTitle(t.Context(), db, "first")); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, db); len(got) != 1 { // a reader is open and reads nothing older any more
		t.Fatalf("there are %v", got)
	}
	copied := filepath.Join(dir, "two.db")
	err := db.HoldFiles(t.Context(), func(whole bool) error {
		if !whole {
			t.Error("the log is needed although no reader is busy")
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(copied, text, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := titles(t, open(copied)); !slices.Equal(got, []string{"first"}) {
		t.Errorf("the copy has %v, want the first", got)
	}
	failed := errors.New("no space")
	if err := db.HoldFiles(t.Context(), func(bool) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a failure comes back as %v", err)
	}
	err = db.Write(t.Context(), func(ctx context.Context, _ *database.Tx) error {
		return db.HoldFiles(ctx, func(bool) error { return nil })
	})
	if !errors.Is(err, database.ErrNested) {
		t.Errorf("inside a transaction: %v, want ErrNested", err)
	}
	if err := insertTitle(t.Context(), db, "second"); err != nil {
		t.Errorf("afterwards nothing is written: %v", err)
	}
}
