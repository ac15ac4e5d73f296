package events

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// TestNoPageIsCutShort: what one request does not look at is refused, so that no page looks like the last one while
// there are more events.
func TestNoPageIsCutShort(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, day := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		const all = maxLookedAt + perPage
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for id := range int64(all) {
				if err := insert(ctx, tx, "u1", Event{ID: id + 1, Happened: 100 + id/7, Title: "a"}, day); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s := New(&world.World{DB: db, Clock: clock.Real()}, time.Hour, all)
		seen := map[int64]bool{}
		for page := range maxLookedAt / perPage {
			list, err := s.List(ctx, "u1", Filter{End: 1 << 40, Page: page})
			if err != nil || len(list) != perPage {
				t.Fatalf("page %d has %d events: %v", page, len(list), err)
			}
			for _, e := range list {
				seen[e.ID] = true
			}
		}
		if len(seen) != maxLookedAt {
			t.Errorf("the pages hold %d events, want %d", len(seen), maxLookedAt)
		}
		for _, f := range []Filter{{End: 1 << 40, Page: maxLookedAt / perPage}, {End: 1 << 40, Priority: "low"}} {
			var refused *refusal.Error
			if list, err := s.List(ctx, "u1", f); !errors.As(err, &refused) {
				t.Errorf("%+v: %d events, %v, want a refusal", f, len(list), err)
			}
		}
		first, err := s.List(ctx, "u1", Filter{End: 100 + perPage/7 - 1})
		if err != nil || len(first) == 0 {
			t.Errorf("a shorter time: %d events, %v", len(first), err)
		}
	}, database.Migrations{Module: "snapshots", Files: os.DirFS("../migrations")})
}
