package backlog_test

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/jobs/backlog"
)

// TestOldest: the age is that of the job that has waited longest; what is for later
// does not wait.
func TestOldest(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		v := clock.NewVirtual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		q := jobs.New(jobs.Options{DB: db, Clock: v, IDs: ids.Seeded(1)})
		run := func(context.Context, jobs.Job, struct{}) error { return nil }
		for _, kind := range []string{"a", "b"} {
			q.Register(jobs.Define(jobs.Kind[struct{}]{Name: kind, MaxAttempts: 1, Run: run}))
		}
		for _, e := range []jobs.Enqueue{
			{Kind: "a"}, {Kind: "a", At: v.Now().Add(time.Minute)}, {Kind: "b", At: v.Now().Add(time.Hour)},
		} {
			e.Payload = struct{}{}
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := q.Enqueue(ctx, tx, e)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		v.Advance(2 * time.Minute)
		ages, err := backlog.Oldest(t.Context(), db, v.Now())
		if err != nil || len(ages) != 1 || ages[0] != (backlog.Age{Kind: "a", Age: 2 * time.Minute}) {
			t.Errorf("ages are %v (%v), want 2 minutes of a", ages, err)
		}
	}, jobs.Migrations())
}
