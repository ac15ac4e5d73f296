package runner

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// TestOutputIsWrittenOnce checks that output whose commit happened, but was not answered, is neither written again nor
// in the way of what follows: the connection may break in this moment, and the job goes on.
func TestOutputIsWrittenOnce(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		p := claimedProgress(t, db)
		key := actionKey{step: firstStep}
		p.put(build.Action{BuildID: p.build.ID, Step: firstStep, Status: build.ActionRunning, StartedAt: storeTime()})
		say := func(text string) {
			if err := p.output(ctx, key, "out", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		say("first ")
		write(t, db, func(ctx context.Context, tx *database.Tx) error {
			b := p.collect() // and its answer is lost
			_, err := p.insertPieces(ctx, tx, b.pieces)
			return err
		})
		before := outputOf(t, db, p.build.ID)
		say("second ")
		write(t, db, p.write)
		say("third")
		write(t, db, p.write)
		after := outputOf(t, db, p.build.ID)
		if before.text != "first " || after.text != "first second third" || p.pending != 0 {
			t.Errorf("output %q, then %q, and %d bytes are pending", before.text, after.text, p.pending)
		}
		if before.counted != before.packed || after.counted != after.packed {
			t.Errorf("%d of %d bytes are counted, then %d of %d", before.counted, before.packed, after.counted, after.packed)
		}
	}, migrations())
}

// claimedProgress is the progress of a job that this process has claimed.
func claimedProgress(t *testing.T, db *database.DB) *progress {
	t.Helper()
	id, err := insertSample(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var b build.Build
	write(t, db, func(ctx context.Context, tx *database.Tx) (err error) {
		if b, err = build.ByID(ctx, tx, id); err != nil {
			return err
		}
		if _, err := project.Ensure(ctx, tx, b.RepoID, storeTime()); err != nil {
			return err
		}
		b.State, b.Lease.Owner = build.State{Lifecycle: build.Running, Status: "running"}, "one"
		b.Lease.Until = storeTime()
		return claimBuild(ctx, tx, &b)
	})
	r := &Runner{
		world: &world.World{DB: db, Clock: clock.NewVirtual(storeTime())}, config: DefaultConfig(), machine: clock.Real(),
	}
	r.queue = newQueue(r)
	return newProgress(r, &b)
}

func write(t *testing.T, db *database.DB, fn func(context.Context, *database.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// keptOutput is what is kept of the first step of a job.
type keptOutput struct {
	text            string
	packed, counted int64
}

func outputOf(t *testing.T, db *database.DB, id int64) (kept keptOutput) {
	t.Helper()
	_, err := build.EachPiece(t.Context(), db, id, firstStep, 0, 0, func(p build.Piece, text []byte) error {
		kept.text += string(text)
		kept.packed += int64(len(p.Packed))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kept.counted, err = database.One(t.Context(), db, scanInt, `SELECT output_bytes FROM pipelines_projects`)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}
