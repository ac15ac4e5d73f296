package events

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// Of the events of an owner the latest are kept. To find the others is to go past those that stay, so that only one
// event in surplusEvery looks for them, and deletes twice as many as came meanwhile: an owner never gains on it. With a
// small bound it is one event in ten of the bound.
const (
	surplusEvery = 500
	surplusBatch = 2 * surplusEvery
)

// trimOwner deletes some of the events that are too many for one more with the id. Ids are random, and so say without a
// count whose turn it is, whichever process the events come to.
func (s *Events) trimOwner(ctx context.Context, org string, id int64) error {
	if id%int64(max(1, min(s.most/10, surplusEvery))) != 0 {
		return nil
	}
	last, err := latestSurplus(ctx, s.world.DB, org, s.most-1)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = deleteUntil(ctx, s.world.DB, org, last, surplusBatch)
	}
	return err
}

// DeleteSurplus deletes what owners have above the bound, the oldest first, in batches between which other writers have
// their turn.
func (s *Events) DeleteSurplus(ctx context.Context, batch int) error {
	owners, err := ownersAbove(ctx, s.world.DB, s.most)
	if err != nil {
		return err
	}
	for _, org := range owners {
		last, err := latestSurplus(ctx, s.world.DB, org, s.most)
		if errors.Is(err, database.ErrNotFound) {
			continue // an event of the owner has deleted them meanwhile
		}
		if err != nil {
			return err
		}
		for n := int64(batch); n == int64(batch); {
			if n, err = deleteUntil(ctx, s.world.DB, org, last, batch); err != nil {
				return err
			}
		}
	}
	return nil
}
