package identity

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/database"
)

// givenMembership is one that a group of a provider gave.
type givenMembership struct {
	kind oidc.Kind
	id   int64
}

// syncMemberships gives what the groups stand for and takes back what earlier groups
// gave. What the operator or an owner gave stays as it is. Names that do not exist are
// returned. The last administrator and a team's last owner stay, and the error is what keep
// says of them: nil leaves it to the next sign-in to try again.
func (i *Identity) syncMemberships(
	ctx context.Context, tx *database.Tx, u *User, wanted []oidc.Membership, keep func(error) error,
) (missing []string, err error) {
	before, err := externalMemberships(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	tx.OnCommit(i.forgetAll)
	kept := map[givenMembership]bool{}
	for _, m := range wanted {
		given, err := i.give(ctx, tx, u, m, before)
		if errors.Is(err, database.ErrNotFound) {
			missing = append(missing, string(m.Kind)+" "+m.Name)
			continue
		}
		if err != nil {
			return nil, err
		}
		kept[given] = true
	}
	for given := range before {
		if kept[given] {
			continue
		}
		err := i.takeBack(ctx, tx, u, given)
		if errors.Is(err, ErrLastAdmin) || errors.Is(err, ErrLastOwner) {
			err = keep(err)
		}
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// nextTime lets the last administrator and the last owner of a team sign in as what they are.
func nextTime(error) error { return nil }

// atOnce refuses a change that cannot be made as a whole.
func atOnce(err error) error { return err }

// give makes the user a member, unless the user is one by other means.
func (i *Identity) give(
	ctx context.Context, tx *database.Tx, u *User, m oidc.Membership, before map[givenMembership]bool,
) (givenMembership, error) {
	given := givenMembership{kind: m.Kind}
	var isMember bool
	var set func() error
	switch m.Kind {
	case oidc.Admin:
		isMember, set = u.Admin, func() error { u.Admin = true; return nil }
	case oidc.Org:
		org, err := orgByName(ctx, tx, m.Name)
		if err != nil {
			return given, err
		}
		given.id = org.ID
		_, err = orgRole(ctx, tx, org.ID, u.ID)
		if err != nil && !errors.Is(err, database.ErrNotFound) {
			return given, err
		}
		isMember, set = err == nil, func() error { return upsertOrgMember(ctx, tx, org.ID, u.ID, OrgRole(m.Role)) }
	case oidc.Team:
		team, err := teamByName(ctx, tx, m.Name)
		if err != nil {
			return given, err
		}
		given.id = team.ID
		_, err = teamMember(ctx, tx, team.ID, u.ID)
		if err != nil && !errors.Is(err, database.ErrNotFound) {
			return given, err
		}
		isMember, set = err == nil, func() error { return i.giveTeamRole(ctx, tx, team.ID, u.ID, TeamRole(m.Role)) }
	}
	if isMember && !before[given] {
		return given, nil
	}
	if err := set(); err != nil {
		return given, err
	}
	return given, insertExternalMembership(ctx, tx, u.ID, given)
}

// giveTeamRole sets a role, but never takes a team's last owner away.
func (i *Identity) giveTeamRole(ctx context.Context, tx *database.Tx, teamID, userID int64, role TeamRole) error {
	old, err := teamMember(ctx, tx, teamID, userID)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return err
	}
	if err := upsertTeamMember(ctx, tx, teamID, userID, role, i.now()); err != nil {
		return err
	}
	if err := keepOwner(ctx, tx, teamID); !errors.Is(err, ErrLastOwner) {
		return err
	}
	return upsertTeamMember(ctx, tx, teamID, userID, old.Role, i.now())
}

// takeBack ends a membership that a group gave. ErrLastAdmin and ErrLastOwner mean that it goes on, because no other
// user could take over.
func (i *Identity) takeBack(ctx context.Context, tx *database.Tx, u *User, given givenMembership) error {
	switch given.kind {
	case oidc.Admin:
		if err := KeepAdmin(ctx, tx, u.ID); err != nil {
			return err
		}
		u.Admin = false
	case oidc.Org:
		if _, err := deleteOrgMember(ctx, tx, given.id, u.ID); err != nil {
			return err
		}
	case oidc.Team:
		if isLast, err := i.isLastOwner(ctx, tx, given.id, u.ID); err != nil {
			return err
		} else if isLast {
			return ErrLastOwner
		}
		if _, err := deleteTeamMember(ctx, tx, given.id, u.ID); err != nil {
			return err
		}
		err := revokeTeamCredentials(ctx, tx, given.id, u.ID, i.now())
		if err := i.TeamLeave.After(ctx, tx, err, given.id, u.ID); err != nil {
			return err
		}
	}
	return deleteExternalMembership(ctx, tx, u.ID, given)
}

func (i *Identity) isLastOwner(ctx context.Context, tx *database.Tx, teamID, userID int64) (bool, error) {
	m, err := teamMember(ctx, tx, teamID, userID)
	if errors.Is(err, database.ErrNotFound) {
		return false, nil
	}
	if err != nil || m.Role != TeamOwner {
		return false, err
	}
	n, err := countTeamOwners(ctx, tx, teamID)
	return n == 1, err
}
