package graphstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestOldGraphsGo checks that graphs which are stale for long are deleted with what they count, more of them than one
// batch, and the oldest of too many.
func TestOldGraphsGo(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		needed := catalog.PackageKey{System: catalog.NPM, Name: "needed"}.At("1.0.0")
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 3 * graphBatch {
			stale := now.Add(time.Duration(i) * time.Minute)
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				return Put(ctx, tx, 1, fmt.Sprint(i), Graph{Doc: []byte("{}"), Stale: stale, Nodes: []Needed{{needed, true}}})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		left := func(at time.Time, most int64) int64 {
			t.Helper()
			if err := DeleteOld(t.Context(), db, at, most); err != nil {
				t.Fatal(err)
			}
			graphs, err := count(t.Context(), db)
			dependents, _, failed := CountDependents(t.Context(), db, needed)
			if err := errors.Join(err, failed); err != nil || graphs != dependents {
				t.Fatalf("%d graphs and %d dependents, %v, want as many", graphs, dependents, err)
			}
			return graphs
		}
		old := now.Add(graphLife)
		if got := left(old, 1000); got != 3*graphBatch {
			t.Errorf("%d graphs before any is old, want all %d", got, 3*graphBatch)
		}
		if got := left(old.Add(2*graphBatch*time.Minute+time.Second), 1000); got != graphBatch-1 {
			t.Errorf("%d graphs are left, want the %d that are not old", got, graphBatch-1)
		}
		if got := left(old, 5); got != 5 {
			t.Errorf("%d graphs are left, want the 5 that may be", got)
		}
	}, database.Migrations{Module: "packages", Files: os.DirFS("../migrations")})
}
