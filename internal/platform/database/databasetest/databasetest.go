package databasetest

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Run runs fn as parallel subtests "sqlite" and "postgres", each on a database
// of its own with the sets migrated.
func Run(t *testing.T, fn func(t *testing.T, db *database.DB), sets ...database.Migrations) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, SQLite(t, sets...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, Postgres(t, sets...))
	})
}

// guard bounds what a helper waits for; it is far beyond what anything takes.
const guard = time.Minute

// SQLite is a migrated database in a temporary folder. It is closed when the
// test ends.
func SQLite(t testing.TB, sets ...database.Migrations) *database.DB {
	t.Helper()
	dir := t.TempDir()
	SQLiteFile(t, dir, sets...)
	return open(t, database.Options{Dir: dir, NoSync: true})
}

// Postgres is a migrated database of its own. It is closed and dropped when
// the test ends.
func Postgres(t testing.TB, sets ...database.Migrations) *database.DB {
	t.Helper()
	return open(t, database.Options{URL: postgresURL(t, sets), Connections: 8})
}

// PostgresURL is the URL of a database of its own with the sets migrated, dropped
// when the test ends.
func PostgresURL(t testing.TB, sets ...database.Migrations) string {
	t.Helper()
	return postgresURL(t, sets)
}

func open(t testing.TB, o database.Options) *database.DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	db, err := database.Open(ctx, o)
	if err != nil {
		t.Fatalf("open test database: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close test database: %v", err)
		}
	})
	return db
}

func postgresURL(t testing.TB, sets []database.Migrations) string {
	t.Helper()
	s, name := create(t, sets)
	t.Cleanup(func() {
		// The test's context is over by now.
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return s.url(name)
}

// create makes a migrated PostgreSQL database, or skips the test where there may
// be no server.
func create(t testing.TB, sets []database.Migrations) (s *server, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	s, err := findServer(ctx)
	var missing *missingError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("test cluster: %v", err)
	}
	if name, err = s.create(ctx, sets); err != nil {
		t.Fatalf("create test database: %v", err)
	}
	return s, name
}
