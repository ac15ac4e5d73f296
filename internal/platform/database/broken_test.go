package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// backend is the server process of a transaction's connection.
func backend(ctx context.Context, t *testing.T, tx *database.Tx) int64 {
	t.Helper()
	var pid int64
	if err := tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// terminate cuts a connection from the server's side and waits until it is.
func terminate(ctx context.Context, t *testing.T, db *database.DB, pid int64) {
	t.Helper()
	var done bool
	if err := db.QueryRow(ctx, "SELECT pg_terminate_backend($1, 10000)", pid).Scan(&done); err != nil || !done {
		t.Fatalf("terminate: %v, %v", done, err)
	}
}

// TestPostgresConnectionCut tells a statement that failed from a commit whose
// outcome that is not known, and comes back by itself.
func TestPostgresConnectionCut(t *testing.T) {
	t.Parallel()
	db := databasetest.Postgres(t, notes())
	ctx := t.Context()
	tests := map[string]struct {
		want error
		then func(ctx context.Context, tx *database.Tx) error
	}{
		"before a statement": {database.ErrUnavailable,
			func(ctx context.Context, tx *database.Tx) error { return insertTitle(ctx, tx, "second") }},
		"before the commit":   {database.ErrUnknown, func(context.Context, *database.Tx) error { return nil }},
		"before the rollback": {errRefused, func(context.Context, *database.Tx) error { return errRefused }},
	}
	for name, test := range tests {
		hook := false
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			tx.OnCommit(func() { hook = true })
			if err := insertTitle(ctx, tx, "first"); err != nil {
				return err
			}
			terminate(ctx, t, db, backend(ctx, t, tx))
			return test.then(ctx, tx)
		})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if hook {
			t.Errorf("%s: OnCommit ran", name)
		}
		if err := insertTitle(ctx, db, name); err != nil {
			t.Errorf("%s: the next write: %v", name, err)
		}
	}
	if got := titles(t, db); len(got) != len(tests) {
		t.Errorf("titles = %q, want only those written afterwards", got)
	}
}

// TestPostgresLockWaitEndsWithTheContext has two transactions on one key.
func TestPostgresLockWaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	db := databasetest.Postgres(t)
	err := db.WriteKeyed(t.Context(), "k", func(context.Context, *database.Tx) error {
		ended := make(chan error)
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			ended <- db.WriteKeyed(ctx, "k",
				func(context.Context, *database.Tx) error { t.Error("ran under a taken lock"); return nil })
		}()
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second = %v, want deadline exceeded", err)
		}
		// Another key is free.
		go func() {
			ended <- db.WriteKeyed(t.Context(), "other", func(context.Context, *database.Tx) error { return nil })
		}()
		return <-ended
	})
	if err != nil {
		t.Error(err)
	}
}
