package beforecommit_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/beforecommit"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestBeforeCommit: what the context adds is committed and rolled back with the rest.
func TestBeforeCommit(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Exec(t.Context(), `CREATE TABLE lines (n BIGINT)`); err != nil {
			t.Fatal(err)
		}
		add := func(n int64) database.TxFunc {
			return func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO lines VALUES ($1)`, n)
				return err
			}
		}
		stop := errors.New("stop")
		fails := func(context.Context, *database.Tx) error { return stop }
		if err := db.Write(beforecommit.With(t.Context(), add(1)), fails); !errors.Is(err, stop) {
			t.Errorf("err = %v, want the function's", err)
		}
		if err := db.Write(beforecommit.With(t.Context(), fails), add(2)); !errors.Is(err, stop) {
			t.Errorf("err = %v, want that of the end", err)
		}
		if err := db.WriteKeyed(beforecommit.With(t.Context(), add(4)), "key", add(8)); err != nil {
			t.Error(err)
		}
		outer := beforecommit.With(t.Context(), add(16))
		if err := db.Write(beforecommit.With(outer, add(32)), add(64)); err != nil {
			t.Error(err)
		}
		if err := db.Write(beforecommit.With(beforecommit.With(t.Context(), fails), add(1)), add(2)); !errors.Is(err, stop) {
			t.Errorf("err = %v, want that of the outer context", err)
		}
		var sum int64
		if err := db.QueryRow(t.Context(), `SELECT SUM(n) FROM lines`).Scan(&sum); err != nil || sum != 124 {
			t.Errorf("the sum is %d, %v, want 124", sum, err)
		}
	})
}
