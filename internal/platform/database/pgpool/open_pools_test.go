package pgpool_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/database/pgpool"
)

// TestOpen: a direct connection is not taken for a pooler, and the lock of migrations
// excludes. What connection strings do is tested with the database.
func TestOpen(t *testing.T) {
	t.Parallel()
	if _, err := pgpool.Open(t.Context(), pgpool.Options{URL: "postgres://%zz"}); err == nil {
		t.Error("a malformed URL was taken")
	}
	p, err := pgpool.Open(t.Context(), pgpool.Options{URL: databasetest.PostgresURL(t), Connections: 2, Statements: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	if p.Pooled || p.Ping(t.Context()) != nil {
		t.Errorf("pooled %t, want a direct connection that answers", p.Pooled)
	}
	unlock, err := p.LockMigrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	free := func() (free bool) {
		row := p.Writing.QueryRowContext(t.Context(), "SELECT pg_try_advisory_xact_lock($1)", 0x73746f61)
		if err := row.Scan(&free); err != nil {
			t.Fatal(err)
		}
		return free
	}
	if free() {
		t.Error("the lock did not exclude")
	}
	if err := unlock(); err != nil || !free() {
		t.Errorf("the lock was not given back: %v", err)
	}
}
