package graphstore

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// A graph that is not asked for any more is deleted when it is stale for graphLife, with what its root is counted as a
// dependent of; so are the oldest beyond MaxGraphs. One round deletes at most maxGraphBatches of graphBatch each.
const (
	graphLife       = 30 * 24 * time.Hour
	MaxGraphs       = 500_000
	graphBatch      = 20
	maxGraphBatches = 5000
)

// DeleteOld is one round. What it does not reach is left to the next.
func DeleteOld(ctx context.Context, db *database.DB, now time.Time, most int64) error {
	before := now.Add(-graphLife)
	stored, err := count(ctx, db)
	if err != nil {
		return err
	}
	for range maxGraphBatches {
		until, n := before, graphBatch
		if stored > most {
			until, n = database.MaxTime(), int(min(graphBatch, stored-most))
		}
		deleted := 0
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			deleted, err = deleteOldest(ctx, tx, until, n)
			return err
		})
		if err != nil || deleted == 0 {
			return err
		}
		stored -= int64(deleted)
	}
	return nil
}
