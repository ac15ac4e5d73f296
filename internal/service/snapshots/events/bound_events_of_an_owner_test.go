package events

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/world"
)

// TestOldestGo: of the events of an owner so many are kept, whatever others have.
func TestOldestGo(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), clock.Real().Now()
		events := New(&world.World{DB: db, Clock: clock.Real(), IDs: ids.Random()}, 24*time.Hour, 5)
		times := func(org string) []int64 {
			t.Helper()
			list, err := events.List(ctx, org, Filter{End: now.Unix() + 1})
			if err != nil {
				t.Fatal(err)
			}
			out := make([]int64, len(list))
			for n, e := range list {
				out[n] = e.Happened - now.Unix()
			}
			return out
		}
		for n := range int64(7) {
			for _, e := range []Event{{Title: "a", Happened: now.Unix() - 10*n}, {Title: "b", Happened: now.Unix() - 5}} {
				if _, err := events.Post(ctx, "u1", e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if diff := cmp.Diff([]int64{0, -5, -5, -5, -5}, times("u1")); diff != "" {
			t.Errorf("after posts (-want +got):\n%s", diff)
		}
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for n := range int64(20) {
				for i, org := range []string{"u1", "u2", "u3"} {
					if org == "u3" && n > 3 {
						continue
					}
					e := Event{ID: 100*int64(i) + n + 1, Title: "a", Happened: now.Unix() - n/2}
					if err := insert(ctx, tx, org, e, now); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := events.DeleteSurplus(ctx, 2); err != nil {
			t.Fatal(err)
		}
		for org, want := range map[string][]int64{
			"u1": {0, 0, 0, -1, -1}, "u2": {0, 0, -1, -1, -2}, "u3": {0, 0, -1, -1},
		} {
			if diff := cmp.Diff(want, times(org)); diff != "" {
				t.Errorf("%s after the sweep (-want +got):\n%s", org, diff)
			}
		}
	}, database.Migrations{Module: "snapshots", Files: os.DirFS("../migrations")})
}
