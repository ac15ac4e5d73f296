package databasetest

import (
	"context"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database"
)

// TestPoolHandsOn has one test after the other on each engine: the second gets
// the database of the first, and nothing of what that one did.
func TestPoolHandsOn(t *testing.T) {
	t.Parallel()
	p := NewPool(database.Migrations{Module: "test", Files: fstest.MapFS{"0001_t.sql": {Data: []byte(`
		CREATE TABLE test_parents (id {{serial}});
		CREATE TABLE test_children (parent BIGINT NOT NULL REFERENCES test_parents (id));
		CREATE TABLE test_seeds (n BIGINT);
		INSERT INTO test_seeds (n) VALUES (7);`)}}})
	for name, take := range map[string]func(testing.TB) *database.DB{"sqlite": p.SQLite, "postgres": p.Postgres} {
		var first *database.DB
		for range 3 {
			t.Run(name, func(t *testing.T) {
				db := take(t)
				if first == nil {
					first = db
				}
				if db != first {
					t.Error("got another database, want the first one again")
				}
				fill(t, db)
			})
		}
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// fill finds the tables as the migrations left them, and adds to them.
func fill(t *testing.T, db *database.DB) {
	t.Helper()
	var id, children, seeds int64
	err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO test_parents DEFAULT VALUES")
		if err == nil {
			err = tx.QueryRow(t.Context(), `SELECT MAX(id), (SELECT COUNT(*) FROM test_children), (SELECT COUNT(*) FROM test_seeds)
				FROM test_parents`).Scan(&id, &children, &seeds)
		}
		if err == nil {
			_, err = tx.Exec(t.Context(), "INSERT INTO test_children (parent) VALUES ($1)", id)
		}
		return err
	})
	if err != nil || id != 1 || children != 0 || seeds != 1 {
		t.Errorf("parent %d, %d children, %d seeds, %v; want 1, 0 and 1", id, children, seeds, err)
	}
}
