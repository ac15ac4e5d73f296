package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func storeTime() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 123456000, time.UTC) }

// sampleBuild has a value in every member.
func sampleBuild() Build {
	at := storeTime()
	return Build{
		RepoID: 7, Num: 3, Version: 1, JobName: "build", Branch: "feature/x", Revision: "abc", Tag: "v1",
		Committer: forge.Signature{Name: "c", Email: "c@x", At: at}, Author: forge.Signature{Name: "a", Email: "a@x", At: at},
		Subject: "s", Body: "b", Compare: "1...2", Why: WhyPush, DontBuild: "x", PushedAt: at, UsageQueuedAt: at, QueuedAt: at,
		StartTime: at, StopTime: at, State: State{Queued, "", "queued"}, RetryOf: 2, Retries: []int64{4, 5}, Attempts: 1,
		Previous: Reference{2, "failed"}, Success: Reference{1, "success"}, FirstGreen: true, Parallel: 2, FailReason: "f",
		Canceler: forge.Actor{ID: 1, Name: "ada"}, Messages: []Message{{"error", "m"}}, SSHUsers: []forge.Actor{{ID: 1, Name: "ada"}},
		Parameters: json.RawMessage(`{"A":"1"}`), SSH: true, NoCache: true, OSS: true, Artifacts: true, Actor: forge.Actor{ID: 2, Name: "grace"},
		Workflow: Workflow{ID: "w", Name: "main", JobID: "j", WorkspaceID: "ws", Requires: []string{"r"}, Upstream: []string{"u"}, Approval: true},
	}
}

func insertSample(ctx context.Context, db *database.DB, b Build) (id int64, err error) {
	err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		id, err = insertBuild(ctx, tx, b, Details{Config: "version: 2", Plan: json.RawMessage(`{}`)})
		return err
	})
	return id, err
}

func TestBuildRoundTrip(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		want := sampleBuild()
		id, err := insertSample(t.Context(), db, want)
		if err != nil {
			t.Fatal(err)
		}
		want.ID = id
		got, err := buildByNum(t.Context(), db, 7, 3)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
		}
		if _, err := insertSample(t.Context(), db, sampleBuild()); !errors.Is(err, database.ErrUnique) {
			t.Errorf("the same number again: %v, want ErrUnique", err)
		}
	}, migrations())
}

// TestFence checks that a worker which was given up writes nothing.
func TestFence(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		id, err := insertSample(ctx, db, sampleBuild())
		if err != nil {
			t.Fatal(err)
		}
		claim := func(owner string) (b Build, err error) {
			err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				if b, err = buildByID(ctx, tx, id); err != nil {
					return err
				}
				b.State, b.lease.owner, b.lease.until = State{Running, "", "running"}, owner, storeTime()
				return claimBuild(ctx, tx, &b)
			})
			return b, err
		}
		first, err := claim("one")
		if err != nil || first.lease.fence != 1 {
			t.Fatalf("claim: %+v, %v", first.lease, err)
		}
		if _, err := claim("two"); !errors.Is(err, errLeaseLost) {
			t.Errorf("a second claim: %v, want errLeaseLost", err)
		}
		ours, err := holding(ctx, db, &first)
		if err != nil || !ours {
			t.Errorf("holding: %v, %v", ours, err)
		}
		canceled := first
		canceled.State = State{Finished, Canceled, "canceled"}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return updateBuild(ctx, tx, &canceled) }); err != nil {
			t.Fatal(err)
		}
		if ours, err := holding(ctx, db, &first); err != nil || ours {
			t.Errorf("holding after the end: %v, %v", ours, err)
		}
		done := first
		done.State = State{Finished, Success, "success"}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return updateBuild(ctx, tx, &done) }); !errors.Is(err, errLeaseLost) {
			t.Errorf("a late end: %v, want errLeaseLost", err)
		}
		if b, err := buildByID(ctx, db, id); err != nil || b.State.Status != "canceled" {
			t.Errorf("got %v, %v, want canceled", b.State, err)
		}
	}, migrations())
}

// TestCaches holds prefix, age and that a key is written once.
func TestCaches(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), storeTime()
		put := func(key string) (fresh bool) {
			err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
				fresh, err = insertCache(ctx, tx, 7, 1, kept{key, "blob-" + key}, 1, now, now.Add(time.Hour))
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
			if got, err := newestCache(ctx, db, 7, prefix, now); err != nil || got.name != want {
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

// Lists of projects and branches are read from a bounded number of rows.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), storeTime()
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for i := range int64(maxFollowed + 5) {
				if err := autoFollow(ctx, tx, 1, i+1, now.Add(time.Duration(i)*time.Second)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ids, err := followed(ctx, db, 1)
		if err != nil || len(ids) != maxFollowed || ids[0] != 6 || ids[maxFollowed-1] != maxFollowed+5 {
			t.Errorf("%d are listed, %v, want the %d followed last, oldest first", len(ids), err, maxFollowed)
		}
		err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for i := range int64(branchLook + 5) {
				b := Build{
					RepoID: 7, Num: i + 1, JobName: "j", Branch: fmt.Sprint("b", i), Why: WhyPush, PushedAt: now, UsageQueuedAt: now,
					State: born(), Parallel: 1, Parameters: []byte("{}"),
				}
				if _, err := insertBuild(ctx, tx, b, Details{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := branchJobs(ctx, db, 7)
		if err != nil || len(jobs) != branchLook || slices.ContainsFunc(jobs, func(j BranchJob) bool { return j.Num <= 5 }) {
			t.Errorf("%d jobs of branches, %v, want the newest %d", len(jobs), err, branchLook)
		}
	}, migrations())
}
