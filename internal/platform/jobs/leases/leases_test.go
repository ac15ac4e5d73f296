package leases_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/jobs/leases"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(store.Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// within runs fn in a transaction.
func within(t *testing.T, db *database.DB, fn func(ctx context.Context, tx *database.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// batch puts jobs 1 to 4, of which the first is safe, and has "me" hold the first three.
func batch(t *testing.T, db *database.DB) {
	t.Helper()
	within(t, db, func(ctx context.Context, tx *database.Tx) error {
		for n := range 4 {
			kind := store.Kind{Name: "a", MaxAttempts: 3, Safe: n == 0}
			if _, err := store.Insert(ctx, tx, store.NewJob{Kind: kind, Payload: []byte("{}"), At: epoch}, epoch); err != nil {
				return err
			}
		}
		return leases.Put(ctx, tx, leases.Batch{Holder: "me", Lease: epoch.Add(time.Minute), Seqs: []int64{1, 2, 3}})
	})
}

// rows are the state, holder, attempt and deaths of each job by its number.
func rows(t *testing.T, db *database.DB) map[string]string {
	t.Helper()
	all, err := store.List(t.Context(), db, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, i := range all {
		found[i.ID] = fmt.Sprintf("%s %q %d %d", i.State, i.Holder, i.Attempt, i.Deaths)
	}
	return found
}

// TestBatch: what becomes of a batch, by what is done in the transaction after it.
func TestBatch(t *testing.T) {
	t.Parallel()
	const waits, held = `ready "" 0 0`, `running "me" 1 0`
	mine := leases.Batch{Holder: "me", Lease: epoch.Add(time.Minute)}
	for name, row := range map[string]struct {
		then func(context.Context, *database.Tx) error
		want map[string]string
	}{
		"its end": {func(ctx context.Context, tx *database.Tx) error {
			there, err := leases.End(ctx, tx, mine, []int64{1}, []int64{2})
			if !there {
				t.Error("the batch is not there")
			}
			return err
		}, map[string]string{"2": held, "3": waits, "4": waits}},
		"others claim": {leases.SpellOut, map[string]string{"1": held, "2": held, "3": held, "4": waits}},
		"its end after others claimed": {func(ctx context.Context, tx *database.Tx) error {
			if err := leases.SpellOut(ctx, tx); err != nil {
				return err
			}
			there, err := leases.End(ctx, tx, mine, []int64{1}, nil)
			if there {
				t.Error("a batch that was spelled out is there")
			}
			return err
		}, map[string]string{"1": held, "2": held, "3": held, "4": waits}},
		"its leases are extended": {func(ctx context.Context, tx *database.Tx) error {
			kept, err := leases.Extend(ctx, tx, "me", epoch.Add(time.Hour), []int64{1, 2, 3})
			if len(kept) != 3 {
				t.Errorf("kept %v, want all", kept)
			}
			return err
		}, map[string]string{"1": held, "2": held, "3": held, "4": waits}},
		"its process ended": {func(ctx context.Context, tx *database.Tx) error {
			return leases.SuspectOthers(ctx, tx, "you", "%", epoch)
		}, map[string]string{"1": `running "" 1 0`, "2": `suspect "" 0 1`, "3": `suspect "" 0 1`, "4": waits}},
		"its process gives up": {func(ctx context.Context, tx *database.Tx) error {
			return leases.Disown(ctx, tx, "me")
		}, map[string]string{"1": `running "" 1 0`, "2": `running "" 1 0`, "3": `running "" 1 0`, "4": waits}},
		"an operator discards one of it": {func(ctx context.Context, tx *database.Tx) error {
			if _, err := store.Discard(ctx, tx, "1"); !errors.Is(err, store.ErrState) {
				t.Errorf("discard: %v, want %v", err, store.ErrState)
			}
			return nil
		}, map[string]string{"1": held, "2": held, "3": held, "4": waits}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := databases.SQLite(t)
			batch(t, db)
			within(t, db, row.then)
			if got := rows(t, db); !maps.Equal(got, row.want) {
				t.Errorf("jobs are %v, want %v", got, row.want)
			}
			within(t, db, func(ctx context.Context, tx *database.Tx) error {
				var left int
				err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM stoa_job_batches`).Scan(&left)
				if left != 0 {
					t.Errorf("%d batches are left", left)
				}
				return err
			})
		})
	}
}

// TestNoBatches: PostgreSQL has none, and is not asked.
func TestNoBatches(t *testing.T) {
	t.Parallel()
	within(t, databases.Postgres(t), leases.SpellOut)
}

// What waits or is dead must not cost anything at a start and an end.
func TestHolderIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	steps, err := database.All(t.Context(), databases.SQLite(t), func(s database.Scanner) (step string, err error) {
		var id, parent, unused int
		err = s.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+leases.SuspectOthersText, "now", "me", "node%")
	if got := strings.Join(steps, "\n"); err != nil || !strings.Contains(got, "INDEX stoa_jobs_held") {
		t.Errorf("the whole table is read (%v):\n%s", err, got)
	}
}
