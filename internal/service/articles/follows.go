package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// followTag follows a tag.
func (s Scope) followTag(ctx context.Context, name string) error {
	return s.setTagFollowing(ctx, name, true)
}

func (s Scope) unfollowTag(ctx context.Context, name string) error {
	return s.setTagFollowing(ctx, name, false)
}

func (s Scope) setTagFollowing(ctx context.Context, name string, on bool) error {
	now := s.now()
	name = tagging.Fold(name)
	return s.world.DB.WriteKeyed(ctx, "articles/tag/"+name, func(ctx context.Context, tx *database.Tx) error {
		t, err := tagging.ByName(ctx, tx, s.TeamID(), name)
		if err != nil {
			return err
		}
		_, err = setRelation(ctx, tx, tagFollows(), t.Number, s.userID(), on, now)
		return err
	})
}

// FollowedTag finds a tag that the caller follows.
func (s Scope) FollowedTag(ctx context.Context, name string) (Tag, error) {
	t, err := s.Tag(ctx, name)
	if err != nil {
		return t, err
	}
	return t, checkRelation(ctx, s.world.DB, tagFollows(), t.Number, s.userID())
}

// FollowingTags lists the tags that a user follows.
func (s Scope) FollowingTags(ctx context.Context, name string, p page.Numbers) ([]Tag, int64, error) {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return tagging.Followed(ctx, s.world.DB, s.TeamID(), u.ID, p)
}

// followUser follows a user; the caller cannot follow itself.
func (s Scope) followUser(ctx context.Context, name string) error {
	return s.setUserFollowing(ctx, name, true)
}

func (s Scope) unfollowUser(ctx context.Context, name string) error {
	return s.setUserFollowing(ctx, name, false)
}

func (s Scope) setUserFollowing(ctx context.Context, name string, on bool) error {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return err
	}
	me, now := s.userID(), s.now()
	if u.ID == me {
		return errForbidden("You cannot follow yourself")
	}
	// One lock for all: two users who follow each other at once change the same
	// two rows in opposite order.
	return s.world.DB.WriteKeyed(ctx, "articles/follow", func(ctx context.Context, tx *database.Tx) error {
		s.cache.ForgetUsers(tx, u.ID, me)
		by, err := setRelation(ctx, tx, userFollows(), u.ID, me, on, now)
		if err != nil || by == 0 {
			return err
		}
		return addToCount(ctx, tx, countFollowees, by, me)
	})
}

// checkUserFollowing is not found unless the caller follows the user.
func (s Scope) checkUserFollowing(ctx context.Context, name string) error {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return err
	}
	return checkRelation(ctx, s.world.DB, userFollows(), u.ID, s.userID())
}

// Followees lists the users whom a user follows.
func (s Scope) Followees(ctx context.Context, name string, p page.Numbers) ([]author, int64, error) {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return authored(listFollowees(ctx, s.world.DB, u.ID, p))(ctx, s)
}

// Followers lists the users who follow a user.
func (s Scope) Followers(ctx context.Context, name string, p page.Numbers) ([]author, int64, error) {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return authored(listRelatedUsers(ctx, s.world.DB, userFollows(), u.ID, p))(ctx, s)
}
