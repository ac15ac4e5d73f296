package forge

import (
	"context"

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
