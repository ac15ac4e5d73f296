package runner

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// sweepBatch is how many jobs one transaction of a sweep looks at, bytesBatch how many rows that name bytes, sweepKey
// the lock of sweeps.
const (
	sweepBatch = 20
	bytesBatch = 256
	sweepKey   = "pipelines/sweep"
)

// Sweep forgets what has expired: rows of artifacts, caches and workspaces, their bytes, what old jobs have printed,
// and what jobs of deleted repositories have kept, with these jobs.
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
	return r.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int, error) {
		return build.DeleteOrphans(ctx, tx, sweepBatch)
	})
}

// deleteOrphanBytes deletes what deleted repositories keep, the bytes before the rows: as long as there are bytes,
// their account is charged for them, and one that makes and deletes repositories passes no bound.
func (r *Runner) deleteOrphanBytes(ctx context.Context) error {
	for _, table := range keptTables() {
		repoID, err := anOrphan(ctx, r.world.DB, table)
		for ; err == nil; repoID, err = anOrphan(ctx, r.world.DB, table) {
			if err := r.deleteBytesOf(ctx, table, repoID); err != nil {
				return err
			}
		}
		if !errors.Is(err, database.ErrNotFound) {
			return err
		}
	}
	return nil
}

// deleteBytesOf deletes some of what a project keeps.
func (r *Runner) deleteBytesOf(ctx context.Context, table string, repoID int64) error {
	keys, err := listKept(ctx, r.world.DB, table, repoID, bytesBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := r.world.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return r.world.DB.WriteKeyed(ctx, sweepKey, func(ctx context.Context, tx *database.Tx) error {
		return deleteKept(ctx, tx, table, repoID, keys)
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
