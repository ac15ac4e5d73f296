package events

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// sweepBatch bounds one transaction of the clean-up.
const sweepBatch = 1000

// Sweep deletes the events that no feed shows any more.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.now().Add(-maxAge - time.Hour)
	for {
		var n int64
		err := s.world.DB.WriteKeyed(ctx, Name+"/sweep", func(ctx context.Context, tx *database.Tx) error {
			var err error
			n, err = deleteOldEvents(ctx, tx, before, sweepBatch)
			return err
		})
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
