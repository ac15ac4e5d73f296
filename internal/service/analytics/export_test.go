package analytics

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

// FillCollecting gives a user as many unfinished reports as may be, none of which
// is due before some time has passed.
func (s *Service) FillCollecting(ctx context.Context, userID int64, pass time.Duration) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for range maxCollecting {
			_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
				Kind: collectKind, Payload: collectPayload{}, Owner: ownerKey(userID), At: s.now().Add(pass),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
