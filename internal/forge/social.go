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
		return f.tell(ctx, tx, Activity{Kind: Starred, Repository: r, Actor: user, At: now})
	})
}

// Unstar takes the star back.
func (f *Forge) Unstar(ctx context.Context, id, userID int64) error {
	return f.inRepository(ctx, id, func(tx *database.Tx, _ Repository) error { return deleteStar(ctx, tx, id, userID) })
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
func (f *Forge) Watched(ctx context.Context, userID int64, most int) ([]int64, error) {
	return watchedBy(ctx, f.world.DB, userID, most)
}

// SetMember gives a user a permission; it is an activity when the user had
// none before.
func (f *Forge) SetMember(ctx context.Context, id int64, member Actor, p Permission, actor Actor) (added bool, err error) {
	err = f.inRepository(ctx, id, func(tx *database.Tx, r Repository) error {
		before, err := memberPermission(ctx, tx, id, member.ID)
		if err != nil {
			return err
		}
		if err := putMember(ctx, tx, id, member.ID, p); err != nil {
			return err
		}
		added = before == None
		if !added {
			return nil
		}
		return f.tell(ctx, tx, Activity{Kind: MemberAdded, Repository: r, Actor: actor, At: f.now(), Member: member, Permission: p})
	})
	return added, err
}

// RemoveMember takes a user's permission back.
func (f *Forge) RemoveMember(ctx context.Context, id, userID int64) error {
	return f.inRepository(ctx, id, func(tx *database.Tx, _ Repository) error { return deleteMember(ctx, tx, id, userID) })
}

// Install limits an app to chosen repositories of an organization; none means
// all of them.
func (f *Forge) Install(ctx context.Context, clientID string, orgID int64, repositories []int64) error {
	return f.world.DB.WriteKeyed(ctx, "forge/install/"+clientID, func(ctx context.Context, tx *database.Tx) error {
		if err := clearInstalled(ctx, tx, clientID, orgID); err != nil {
			return err
		}
		for _, id := range repositories {
			if err := insertInstalled(ctx, tx, clientID, orgID, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// InstallationSize is how many repositories an installation covers and how
// many people its organization has.
func (f *Forge) InstallationSize(ctx context.Context, clientID string, orgID int64) (repositories, users int64, err error) {
	chosen, repositories, err := countInstalled(ctx, f.world.DB, clientID, orgID)
	if err == nil && chosen == 0 {
		repositories, err = countRepositories(ctx, f.world.DB, orgID)
	}
	if err != nil {
		return 0, 0, err
	}
	members, err := f.identity.OrgMembers(ctx, orgID)
	return repositories, int64(len(members)), err
}

// inRepository runs fn in a transaction that no other change of the
// repository overlaps.
func (f *Forge) inRepository(ctx context.Context, id int64, fn func(*database.Tx, Repository) error) error {
	return f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		r, err := repositoryByID(ctx, tx, id)
		if err != nil {
			return notFound(err)
		}
		return fn(tx, r)
	})
}
