package forge

import (
	"context"
	"time"

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

// Starred reports whether a user starred a repository.
func (f *Forge) Starred(ctx context.Context, id, userID int64) (bool, error) {
	return hasStar(ctx, f.world.DB, id, userID)
}

// Star is one user's star.
type Star struct {
	UserID int64
	At     time.Time
}

// Stargazers are the stars of a repository, the oldest first, and how many there are.
func (f *Forge) Stargazers(ctx context.Context, id int64, limit int, offset int64) ([]Star, int64, error) {
	total, err := countStars(ctx, f.world.DB, id)
	if err != nil || total <= offset {
		return nil, total, err
	}
	list, err := starsOf(ctx, f.world.DB, id, limit, offset)
	return list, total, err
}

// Subscribers are the users whom a repository concerns, see Watched, by number, and
// how many there are.
func (f *Forge) Subscribers(ctx context.Context, r Repository, limit int, offset int64) ([]int64, int64, error) {
	counted, err := countPer(ctx, f.world.DB, subscribersPerRepository, []int64{r.ID})
	if err != nil || counted[r.ID] <= offset {
		return nil, counted[r.ID], err
	}
	list, err := subscribersOf(ctx, f.world.DB, r.ID, limit, offset)
	return list, counted[r.ID], err
}

// Watches reports whether a repository is one of a user's Watched.
func (f *Forge) Watches(ctx context.Context, r Repository, userID int64) (bool, error) {
	if r.Owner.Kind == OwnerUser && r.Owner.ID == userID {
		return true, nil
	}
	if starred, err := f.Starred(ctx, r.ID, userID); err != nil || starred {
		return starred, err
	}
	given, err := memberPermission(ctx, f.world.DB, r.ID, userID)
	return given > None, err
}

// Watched are the repositories whose activities concern a user, at most a
// number of them, the newest first.
func (f *Forge) Watched(ctx context.Context, userID int64, limit int) ([]int64, error) {
	return watchedBy(ctx, f.world.DB, userID, limit)
}
