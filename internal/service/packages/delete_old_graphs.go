package packages

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// A graph that nobody asks for any more is deleted when it is stale for graphLife, with what its root is counted as a
// dependent of; so are the oldest beyond maxStoredGraphs. One round deletes at most maxGraphBatches of graphBatch each.
const (
	graphLife       = 30 * 24 * time.Hour
	maxStoredGraphs = 500_000
	graphBatch      = 20
	maxGraphBatches = 5000
)

// deleteOldGraphs is one round. What it does not reach is left to the next.
func (s *Service) deleteOldGraphs(ctx context.Context, most int64) error {
	before := s.world.Clock.Now().Add(-graphLife)
	stored, err := countGraphs(ctx, s.world.DB)
	if err != nil {
		return err
	}
	for range maxGraphBatches {
		until, n := before, graphBatch
		if stored > most {
			until, n = database.MaxTime(), int(min(graphBatch, stored-most))
		}
		deleted := 0
		err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
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
