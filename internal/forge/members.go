package forge

import (
	"context"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// SetMember gives a user a permission; it is an activity when the user had
// none before.
func (f *Forge) SetMember(
	ctx context.Context, id int64, member Actor, p Permission, actor Actor,
) (added bool, err error) {
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
		return f.notify(ctx, tx, Activity{
			Kind: MemberAdded, Repository: r, Actor: actor, At: f.now(), Member: member, Permission: p,
		})
	})
	return added, err
}

// RemoveMember takes a user's permission back.
func (f *Forge) RemoveMember(ctx context.Context, id, userID int64) error {
	return f.inRepository(ctx, id, func(tx *database.Tx, _ Repository) error {
		return deleteMember(ctx, tx, id, userID)
	})
}

// Member is a user with the permission that the user was given.
type Member struct {
	UserID     int64
	Permission Permission
}

// Collaborators are the users who may do more with a repository than everybody: its
// owner, the members of an owning organization and the repository's own members, by
// number, each with the most that is allowed.
func (f *Forge) Collaborators(ctx context.Context, r Repository) ([]Member, error) {
	list, err := membersOf(ctx, f.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	best := map[int64]Permission{}
	for _, m := range list {
		best[m.UserID] = m.Permission
	}
	if r.Owner.Kind == OwnerUser {
		best[r.Owner.ID] = Admin
	} else {
		members, err := f.identity.OrgMembers(ctx, r.Owner.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			given := Read
			if m.Role == identity.OrgOwner {
				given = Admin
			}
			best[m.UserID] = max(best[m.UserID], given)
		}
	}
	out := make([]Member, 0, len(best))
	for _, id := range slices.Sorted(maps.Keys(best)) {
		out = append(out, Member{UserID: id, Permission: best[id]})
	}
	return out, nil
}
