package identity

import (
	"context"

	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/database"
)

// RemoveUserIn ends a user with every session, token, key, grant and membership. Where
// others' things mention the user a row with nothing but the name stays, so that they can
// go on doing so, and the name is given to no other user.
func (i *Identity) RemoveUserIn(ctx context.Context, tx *database.Tx, u User, mentioned bool) error {
	tx.OnCommit(func() { i.userChanged(u.ID) })
	if err := orNotChanged(emptyUser(ctx, tx, u.ID, i.now()))("user", u.ID); err != nil || mentioned {
		return err
	}
	if err := deleteUser(ctx, tx, u.ID); err != nil {
		return err
	}
	return freeName(ctx, tx, u.Name)
}

// RemoveOrgIn ends an organization with its memberships, policies and credentials. The
// name of one that is mentioned is not given to another.
func (i *Identity) RemoveOrgIn(ctx context.Context, tx *database.Tx, o Org, mentioned bool) error {
	tx.OnCommit(i.forgetAll)
	if err := deleteGivenMemberships(ctx, tx, string(oidc.Org), o.ID); err != nil {
		return err
	}
	if err := orNotChanged(deleteOrg(ctx, tx, o.ID))("organization", o.ID); err != nil || mentioned {
		return err
	}
	return freeName(ctx, tx, o.Name)
}

// RemoveTeamIn ends a team with its memberships and every credential for it.
func (i *Identity) RemoveTeamIn(ctx context.Context, tx *database.Tx, t Team) error {
	tx.OnCommit(i.forgetAll)
	if err := deleteGivenMemberships(ctx, tx, string(oidc.Team), t.ID); err != nil {
		return err
	}
	return orNotChanged(deleteTeam(ctx, tx, t.ID))("team", t.ID)
}
