package events

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, day := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		first := Event{
			ID: 1, Happened: 100, Title: "a", Text: "b", Priority: "low", AlertType: "error",
			Tags: []string{"env:prod", "x"}, RelatedEventID: 9,
		}
		second := Event{ID: 2, Happened: 200, Title: "c", Tags: []string{}}
		for _, e := range []Event{first, second} {
			if err := insert(ctx, db, "u1", e, day); err != nil {
				t.Fatal(err)
			}
		}
		got, err := list(ctx, db, "u1", 100, Event{Happened: 201}, 10)
		if diff := cmp.Diff([]Event{second, first}, got); err != nil || diff != "" {
			t.Errorf("events: %v (-want +got):\n%s", err, diff)
		}
		if got, err := list(ctx, db, "u1", 101, Event{Happened: 301}, 10); err != nil || len(got) != 1 {
			t.Errorf("later events = %v, %v, want one", got, err)
		}
		if got, err := list(ctx, db, "u2", 0, Event{Happened: 301}, 10); err != nil || len(got) != 0 {
			t.Errorf("events of another organization = %v, %v, want none", got, err)
		}
		if _, err := byID(ctx, db, "u2", 1); !refusal.IsMissing(err) {
			t.Errorf("event of another organization: %v, want not found", err)
		}
		for _, want := range []int64{1, 0} {
			if n, err := DeleteBefore(ctx, db, time.Unix(150, 0), 1); err != nil || n != want {
				t.Fatalf("%d old events are gone (%v), want %d", n, err, want)
			}
		}
		if _, err := byID(ctx, db, "u1", 1); !refusal.IsMissing(err) {
			t.Errorf("old event: %v, want it deleted", err)
		}
	}, database.Migrations{Module: "snapshots", Files: os.DirFS("../migrations")})
}
