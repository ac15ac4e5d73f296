package packages

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestOldGraphsGo checks that graphs which are stale for long are deleted with what they count, more of them than one
// batch, and the oldest of too many.
func TestOldGraphsGo(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		versions := make([]string, 3*graphBatch)
		for i := range versions {
			versions[i] = fmt.Sprintf("1.0.%d", i)
		}
		root, needs := example("root", versions...), example("needed", "1.0.0")
		put(t, s, root, origin{})
		put(t, s, needs, origin{})
		now := s.world.Clock.Now()
		for i, v := range versions {
			stale := now.Add(time.Duration(i) * time.Minute)
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				return putGraph(ctx, tx, root.Key.At(v), []byte("{}"), stale, []needed{{needs.Key.At("1.0.0"), true}})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		left := func(most int64) int64 {
			t.Helper()
			if err := s.deleteOldGraphs(t.Context(), most); err != nil {
				t.Fatal(err)
			}
			graphs, err := countGraphs(t.Context(), db)
			dependents, _, failed := countDependents(t.Context(), db, needs.Key.At("1.0.0"))
			if err != nil || failed != nil || graphs != dependents {
				t.Fatalf("%d graphs, %v, and %d dependents, %v, want as many", graphs, err, dependents, failed)
			}
			return graphs
		}
		v, ok := s.world.Clock.(*clock.Virtual)
		if !ok {
			t.Fatal("the clock is not virtual")
		}
		v.Advance(graphLife)
		if got := left(1000); got != 3*graphBatch {
			t.Errorf("%d graphs before any is old, want all %d", got, 3*graphBatch)
		}
		v.Advance(2*graphBatch*time.Minute + time.Second)
		if got := left(1000); got != graphBatch-1 {
			t.Errorf("%d graphs are left, want the %d that are not old", got, graphBatch-1)
		}
		if got := left(5); got != 5 {
			t.Errorf("%d graphs are left, want the 5 that may be", got)
		}
		_, err := findGraph(t.Context(), db, root.Key.At(versions[0]), now)
		if !errors.Is(err, database.ErrNotFound) {
			t.Errorf("a deleted graph: %v", err)
		}
	}, migrations())
}
