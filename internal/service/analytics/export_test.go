package analytics

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/analytics/locations"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// MaxKeysOfDeleted is how many keys of deleted projects an owner keeps.
const MaxKeysOfDeleted = maxKeysOfDeleted

// Use makes another provider rank the places. It is called before the service starts.
func (s *Service) Use(p ranking.Provider) { s.provider = p }

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

// Sweep runs the sweep alone.
func (s *Service) Sweep(ctx context.Context) error {
	return s.runSweep(ctx, jobs.Job{}, sweepPayload{})
}

// RewriteCampaign writes a campaign again as it was read, as a change of another member of it does, and lets something
// happen between the two.
func (s *Service) RewriteCampaign(ctx context.Context, owner int64, id string, between func() error) error {
	return s.world.DB.WriteKeyed(ctx, campaignsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		c, err := campaignByID(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := between(); err != nil {
			return err
		}
		return updateCampaign(ctx, tx, c)
	})
}

// Locations is how locations are made: the contract has no method for it.
func (s *Service) Locations() *locations.Service { return s.locations }

// Places is how places are imported.
func (s *Service) Places() *places.Index { return s.places }
