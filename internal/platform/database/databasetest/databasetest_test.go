package databasetest_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func things() database.Migrations {
	return database.Migrations{Module: "things", Files: fstest.MapFS{
		"0001_things.sql": {Data: []byte("CREATE TABLE things (name {{text}} PRIMARY KEY)")},
	}}
}

// TestEachTestHasItsOwn inserts the same key into two databases per engine.
func TestEachTestHasItsOwn(t *testing.T) {
	t.Parallel()
	seen := make(chan database.Engine, 4)
	t.Run("group", func(t *testing.T) {
		for range 2 {
			databasetest.Run(t, func(t *testing.T, db *database.DB) {
				seen <- db.Engine()
				if _, err := db.Exec(t.Context(), "INSERT INTO things VALUES ('only one')"); err != nil {
					t.Error(err)
				}
			}, things())
		}
	})
	close(seen)
	got := map[database.Engine]int{}
	for e := range seen {
		got[e]++
	}
	// A machine without PostgreSQL skipped both of those.
	if got[database.SQLite] != 2 || got[database.Postgres]%2 != 0 {
		t.Errorf("ran %v, want twice on each", got)
	}
}

func TestDatabasesAreDropped(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("uses one", func(t *testing.T) { url = databasetest.PostgresURL(t) })
	if url == "" {
		t.Skip("no PostgreSQL")
	}
	c, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_ = c.Close(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("connect = %v, want a database that does not exist", err)
	}
}
