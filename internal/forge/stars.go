package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Star lets a user star a repository. A second star changes nothing.
func (f *Forge) Star(ctx context.Context, id int64, user Actor) error {
	return f.inRepository(ctx, id, func(tx *database.Tx, r Repository) error {
		now := f.now()
		fresh, err := insertStar(ctx, tx, id, user.ID, now)
		if err != nil || !fresh {
			return err
		}
		return f.notify(ctx, tx, Activity{Kind: Starred, Repository: r, Actor: user, At: now})
	})
}

// Unstar takes the star back.
func (f *Forge) Unstar(ctx context.Context, id, userID int64) error {
	return f.inRepository(ctx, id, func(tx *database.Tx, _ Repository) error {
		return deleteStar(ctx, tx, id, userID)
	})
}

// Counts are a repository's stars and forks.
func (f *Forge) Counts(ctx context.Context, id int64) (stars, forks int64, err error) {
	if stars, err = countStars(ctx, f.world.DB, id); err != nil {
		return 0, 0, err
	}
	forks, err = countForks(ctx, f.world.DB, id)
	return stars, forks, err
}

// Watched are the repositories whose activities concern a user, at most a
// number of them, the newest first.
func (f *Forge) Watched(ctx context.Context, userID int64, limit int) ([]int64, error) {
	return watchedBy(ctx, f.world.DB, userID, limit)
}
