package locks_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/jobs/locks"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(store.Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }

// TestTurns: transactions that take the same locks in any order all end, and those of an
// owner are counted.
func TestTurns(t *testing.T) {
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		results := make(chan error, 8)
		for i := range cap(results) {
			keys := []string{"a", "b", "c"}
			keys[0], keys[i%3] = keys[i%3], keys[0]
			go func() {
				results <- db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					if err := locks.Lanes(ctx, tx, keys); err != nil {
						return err
					}
					return locks.Owner(ctx, tx, "kind", "owner")
				})
			}()
		}
		for range cap(results) {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if db.Engine() != database.Postgres {
			return // it has one writer, and no table for this
		}
		var entered int
		err := db.QueryRow(t.Context(), `SELECT CAST(SUM(entered) AS BIGINT) FROM stoa_job_owners`).Scan(&entered)
		if err != nil || entered != cap(results) {
			t.Errorf("%d transactions took turns, %v, want %d", entered, err, cap(results))
		}
	})
}
