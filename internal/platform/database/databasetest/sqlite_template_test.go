package databasetest_test

import (
	"context"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestSQLiteTemplate: databases with the same migrations begin alike and share nothing.
func TestSQLiteTemplate(t *testing.T) {
	t.Parallel()
	set := database.Migrations{Module: "template", Files: fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE template_rows (n INTEGER); INSERT INTO template_rows VALUES (1)")},
	}}
	first, second := databasetest.SQLite(t, set), databasetest.SQLite(t, set)
	err := first.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO template_rows VALUES (2)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for want, db := range map[int]*database.DB{2: first, 1: second} {
		var n int
		if err := db.QueryRow(t.Context(), "SELECT count(*) FROM template_rows").Scan(&n); err != nil || n != want {
			t.Errorf("%d rows, %v, want %d", n, err, want)
		}
		if err := db.Migrate(t.Context(), set); err != nil {
			t.Errorf("the migrations again: %v", err)
		}
	}
}
