package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func migrations() database.Migrations {
	return database.Migrations{Module: "pipelines", Files: os.DirFS("../migrations")}
}

func storeTime() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 123456000, time.UTC) }

// sampleBuild has a value in every member.
func sampleBuild() Build {
	at := storeTime()
	return Build{
		RepoID: 7, Num: 3, Version: 1, JobName: "build", Branch: "feature/x", Revision: "abc", Tag: "v1",
		Committer: forge.Signature{Name: "c", Email: "c@x", At: at}, Author: forge.Signature{Name: "a", Email: "a@x",
			At: at},
		Subject: "s", Body: "b", Compare: "1...2", Why: WhyPush, DontBuild: "x", PushedAt: at, UsageQueuedAt: at,
		QueuedAt:  at,
		StartTime: at, StopTime: at, State: State{Queued, "", "queued"}, RetryOf: 2, Retries: []int64{4, 5},
		Attempts: 1,
		Previous: Reference{2, "failed"}, Success: Reference{1, "success"}, FirstGreen: true, Parallel: 2,
		FailReason: "f",
		Canceler:   forge.Actor{ID: 1, Name: "ada"}, Messages: []Message{{"error", "m"}},
		SSHUsers:   []forge.Actor{{ID: 1, Name: "ada"}},
		Parameters: json.RawMessage(`{"A":"1"}`), SSH: true, NoCache: true, OSS: true, Artifacts: true,
		Actor: forge.Actor{ID: 2, Name: "grace"},
		Workflow: Workflow{ID: "w", Name: "main", JobID: "j", WorkspaceID: "ws", Requires: []string{"r"},
			Upstream: []string{"u"}, Approval: true},
	}
}

func insertSample(ctx context.Context, db *database.DB, b Build) (id int64, err error) {
	err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return Insert(ctx, tx, &b, Details{Config: "version: 2", Plan: json.RawMessage(`{}`)})
	})
	return b.ID, err
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
		got, err := ByNum(t.Context(), db, 7, 3)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
		}
		if _, err := insertSample(t.Context(), db, sampleBuild()); !errors.Is(err, database.ErrUnique) {
			t.Errorf("the same number again: %v, want ErrUnique", err)
		}
	}, migrations())
}

// TestBranchesAreBounded checks that branches are listed from a bounded number of rows.
func TestBranchesAreBounded(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), storeTime()
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for i := range int64(maxBranchJobs + 5) {
				b := Build{
					RepoID: 7, Num: i + 1, JobName: "j", Branch: fmt.Sprint("b", i), Why: WhyPush, PushedAt: now,
					UsageQueuedAt: now,
					State:         NewState(), Parallel: 1, Parameters: []byte("{}"),
				}
				if err := Insert(ctx, tx, &b, Details{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := ListBranches(ctx, db, 7)
		if err != nil || len(jobs) != maxBranchJobs || slices.ContainsFunc(jobs,
			func(j BranchJob) bool { return j.Num <= 5 }) {
			t.Errorf("%d jobs of branches, %v, want the newest %d", len(jobs), err, maxBranchJobs)
		}
	}, migrations())
}
