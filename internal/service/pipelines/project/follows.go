package project

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Follow makes a user follow a project or not, and reports whether the project never had a job.
func (p *Projects) Follow(ctx context.Context, r forge.Repository, userID int64, following bool) (fresh bool,
	err error) {
	err = p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		now := p.now()
		row, err := Ensure(ctx, tx, r.ID, now)
		if err != nil {
			return err
		}
		fresh = row.LastNum == 0
		return setFollow(ctx, tx, userID, r.ID, following, now)
	})
	return fresh, err
}

// Following lists the projects that a user follows and may still see.
func (p *Projects) Following(ctx context.Context, c *identity.Caller) ([]forge.Repository, error) {
	ids, err := listFollowed(ctx, p.world.DB, c.UserID)
	if err != nil {
		return nil, err
	}
	list := make([]forge.Repository, 0, len(ids))
	for _, id := range ids {
		repo, err := p.Visible(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if repo.ID != 0 {
			list = append(list, repo)
		}
	}
	return list, nil
}

// Listed are the projects of a caller's lists: those that a user follows, or the one of a project token.
func (p *Projects) Listed(ctx context.Context, c *identity.Caller) ([]forge.Repository, error) {
	if !Bound(c) {
		if err := Personal(c); err != nil {
			return nil, err
		}
		return p.Following(ctx, c)
	}
	repo, err := p.forge.BoundTo(ctx, c)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return nil, errNotFound("Project not found")
	}
	if err != nil {
		return nil, err
	}
	if have, err := p.rightOf(ctx, c, repo); err != nil || have < RightRead {
		return nil, errors.Join(err, errForbidden("%s", lacking(c, RightRead)))
	}
	return []forge.Repository{repo}, nil
}

// Followers lists the users who follow a project.
func (p *Projects) Followers(ctx context.Context, r forge.Repository) ([]identity.User, error) {
	ids, err := listFollowers(ctx, p.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	return p.identity.UsersByID(ctx, ids)
}
