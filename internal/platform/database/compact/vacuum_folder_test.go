package compact_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/compact"
)

// TestCompact fills two databases with the same rows in different ways: their
// compact files are the same, small, and hold the rows.
func TestCompact(t *testing.T) {
	t.Parallel()
	var files [2][]byte
	for run := range files {
		dir := t.TempDir()
		db := openIn(t, dir)
		exec := func(text string, args ...any) {
			t.Helper()
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, text, args...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		exec(`CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL)`)
		for i := range 500 * (1 + run) {
			exec(`INSERT INTO notes (id, text) VALUES ($1, $2)`, i, fmt.Sprintf("%0500d", i))
		}
		exec(`DELETE FROM notes WHERE id >= 10`)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := compact.Folder(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(dir, "stoa.db*"))
		if err != nil || len(left) != 1 {
			t.Fatalf("files = %v, %v; want the database alone", left, err)
		}
		if files[run], err = os.ReadFile(left[0]); err != nil {
			t.Fatal(err)
		}
		again := openIn(t, dir)
		n, err := database.One(t.Context(), again, func(s database.Scanner) (n int64, err error) {
			err = s.Scan(&n)
			return n, err
		}, `SELECT COUNT(*) FROM notes`)
		if err != nil || n != 10 {
			t.Errorf("%d rows, %v; want 10", n, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) || len(files[0]) > 64<<10 {
		t.Errorf("the same rows gave %d and %d bytes", len(files[0]), len(files[1]))
	}
}

func openIn(t *testing.T, dir string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return db
}
