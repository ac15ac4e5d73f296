package runner

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// sweepBatch is how many jobs one transaction of a sweep looks at, maxBatches of how many batches one sweep deletes old
// jobs, bytesBatch how many rows that name bytes are read at once, sweepKey the lock of sweeps.
const (
	sweepBatch = 20
	maxBatches = 500
	bytesBatch = 256
	sweepKey   = "pipelines/sweep"
)

// Sweep forgets what has expired: rows of artifacts, caches and workspaces, their bytes, what old jobs have printed,
// what jobs of deleted repositories have kept, with these jobs, and jobs beyond those that a project keeps.
func (r *Runner) Sweep(ctx context.Context) error {
	now := r.now()
	err := r.world.DB.WriteKeyed(ctx, sweepKey, func(ctx context.Context, tx *database.Tx) error {
		if err := deleteServed(ctx, tx); err != nil {
			return err
		}
		if err := deleteExpired(ctx, tx, now); err != nil {
			return err
		}
		return build.DeleteExpired(ctx, tx, now)
	})
	if err != nil {
		return err
	}
	if _, err := r.world.Blobs.Sweep(ctx, now); err != nil {
		return err
	}
	if err := r.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int, error) {
		return build.DeleteOldOutput(ctx, tx, now.Add(-r.config.OutputLife), sweepBatch)
	}); err != nil {
		return err
	}
	if err := r.deleteOrphanBytes(ctx); err != nil {
		return err
	}
	if err := r.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int, error) {
		return build.DeleteOrphans(ctx, tx, sweepBatch)
	}); err != nil {
		return err
	}
	return r.deleteOldJobs(ctx, now.Add(-r.config.JobLife))
}

// deleteOldJobs deletes jobs beyond those that their projects keep, the bytes of their artifacts before the rows. What
// one sweep does not reach is left to the next: there may be many when an operator lowers the settings.
func (r *Runner) deleteOldJobs(ctx context.Context, before time.Time) error {
	for range maxBatches {
		ids, err := build.ListOld(ctx, r.world.DB, before, r.config.KeptJobs, sweepBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			for more := true; more && err == nil; {
				more, err = r.deleteBytesOf(ctx, owned{"pipelines_artifacts", "build_id", id})
			}
			if err != nil {
				return err
			}
		}
		err = r.world.DB.WriteKeyed(ctx, sweepKey, func(ctx context.Context, tx *database.Tx) error {
			return build.DeleteJobs(ctx, tx, ids)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteOrphanBytes deletes what deleted repositories keep, the bytes before the rows: as long as there are bytes,
// their account is charged for them, and one that makes and deletes repositories passes no bound.
func (r *Runner) deleteOrphanBytes(ctx context.Context) error {
	for _, table := range keptTables() {
		repoID, err := anOrphan(ctx, r.world.DB, table)
		for ; err == nil; repoID, err = anOrphan(ctx, r.world.DB, table) {
			if _, err := r.deleteBytesOf(ctx, owned{table, "repo_id", repoID}); err != nil {
				return err
			}
		}
		if !errors.Is(err, database.ErrNotFound) {
			return err
		}
	}
	return nil
}

// deleteBytesOf deletes some of what a project or a job keeps, and reports whether there was any.
func (r *Runner) deleteBytesOf(ctx context.Context, o owned) (bool, error) {
	keys, err := listKept(ctx, r.world.DB, o, bytesBatch)
	if err != nil || len(keys) == 0 {
		return false, err
	}
	for _, key := range keys {
		if err := r.world.Blobs.Delete(ctx, key); err != nil {
			return false, err
		}
	}
	return true, r.world.DB.WriteKeyed(ctx, sweepKey, func(ctx context.Context, tx *database.Tx) error {
		return deleteKept(ctx, tx, o, keys)
	})
}

// inBatches repeats a step until it finds nothing, so that no transaction is long.
func (r *Runner) inBatches(ctx context.Context, step func(context.Context, *database.Tx) (int, error)) error {
	for {
		n := 0
		err := r.world.DB.WriteKeyed(ctx, sweepKey, func(ctx context.Context, tx *database.Tx) (err error) {
			n, err = step(ctx, tx)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// DeleteCaches forgets every cache of a project. Bytes that cannot be deleted go when they expire.
func (r *Runner) DeleteCaches(ctx context.Context, repoID int64) error {
	var blobs []string
	err := r.change(ctx, repoID, func(ctx context.Context, tx *database.Tx) (err error) {
		blobs, err = deleteCaches(ctx, tx, repoID)
		return err
	})
	if err != nil {
		return err
	}
	for _, key := range blobs {
		if err := r.world.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
