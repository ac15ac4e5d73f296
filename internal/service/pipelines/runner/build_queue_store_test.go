package runner

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

func migrations() database.Migrations {
	return database.Migrations{Module: "pipelines", Files: os.DirFS("../migrations")}
}

func storeTime() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 123456000, time.UTC) }

func insertSample(ctx context.Context, db *database.DB) (int64, error) {
	b := build.Build{
		RepoID: 7, Num: 3, JobName: "build", Branch: "main", PushedAt: storeTime(), UsageQueuedAt: storeTime(),
		State: build.State{Lifecycle: build.Queued, Status: "queued"}, Parallel: 1, Parameters: []byte("{}"),
	}
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return build.Insert(ctx, tx, &b, build.Details{Plan: []byte("{}")})
	})
	return b.ID, err
}

// TestFence checks that a worker which was given up writes nothing.
func TestFence(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		id, err := insertSample(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		claim := func(owner string) (b build.Build, err error) {
			err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				if b, err = build.ByID(ctx, tx, id); err != nil {
					return err
				}
				b.State, b.Lease.Owner, b.Lease.Until = build.State{Lifecycle: build.Running,
					Status: "running"}, owner, storeTime()
				return claimBuild(ctx, tx, &b)
			})
			return b, err
		}
		first, err := claim("one")
		if err != nil || first.Lease.Fence != 1 {
			t.Fatalf("claim: %+v, %v", first.Lease, err)
		}
		if _, err := claim("two"); !errors.Is(err, build.ErrLeaseLost) {
			t.Errorf("a second claim: %v, want build.ErrLeaseLost", err)
		}
		ours, err := isHeld(ctx, db, &first)
		if err != nil || !ours {
			t.Errorf("holding: %v, %v", ours, err)
		}
		canceled := first
		canceled.State = build.State{Lifecycle: build.Finished, Outcome: build.Canceled, Status: "canceled"}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return build.Update(ctx, tx,
				&canceled)
		}); err != nil {
			t.Fatal(err)
		}
		if ours, err := isHeld(ctx, db, &first); err != nil || ours {
			t.Errorf("holding after the end: %v, %v", ours, err)
		}
		done := first
		done.State = build.State{Lifecycle: build.Finished, Outcome: build.Success, Status: "success"}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return build.Update(ctx, tx,
				&done)
		}); !errors.Is(err, build.ErrLeaseLost) {
			t.Errorf("a late end: %v, want build.ErrLeaseLost", err)
		}
		if b, err := build.ByID(ctx, db, id); err != nil || b.State.Status != "canceled" {
			t.Errorf("got %v, %v, want canceled", b.State, err)
		}
	}, migrations())
}

// TestCaches checks prefix, age and that a key is written once.
func TestCaches(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), storeTime()
		put := func(key string) (fresh bool) {
			err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
				fresh, err = insertCache(ctx, tx, &build.Build{RepoID: 7, OwnerID: 1}, cache{key, "blob-" + key}, 1,
					now, now.Add(time.Hour))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return fresh
		}
		for _, key := range []string{"go-1", "go-2", "go%", "other"} {
			if !put(key) {
				t.Errorf("%s was not new", key)
			}
		}
		if put("go-1") {
			t.Error("a key was written twice")
		}
		for prefix, want := range map[string]string{"go-": "go-2", "go-1": "go-1", "go%": "go%", "o": "other"} {
			if got, err := newestCache(ctx, db, 7, prefix, now); err != nil || got.key != want {
				t.Errorf("%s: got %v, %v, want %s", prefix, got, err, want)
			}
		}
		if _, err := newestCache(ctx, db, 7, "go-", now.Add(2*time.Hour)); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("expired caches: %v", err)
		}
		if _, err := newestCache(ctx, db, 8, "go-", now); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("caches of another project: %v", err)
		}
	}, migrations())
}
