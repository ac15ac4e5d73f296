package events

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/hooks"
)

// sweepBatch bounds one transaction of the clean-up.
const sweepBatch = 1000

// Sweep deletes the events that no feed shows any more, and old deliveries of hooks.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.now().Add(-maxAge - time.Hour)
	for {
		var n int64
		err := s.world.DB.WriteKeyed(ctx, Name+"/sweep", func(ctx context.Context, tx *database.Tx) error {
			var err error
			if n, err = deleteOldEvents(ctx, tx, before, sweepBatch); err != nil {
				return err
			}
			forgotten, err := hooks.Sweep(ctx, tx, s.now(), sweepBatch)
			n = max(n, forgotten)
			return err
		})
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
