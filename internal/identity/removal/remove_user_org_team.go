package removal

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ownership"
)

// User removes a user.
func (r *Remover) User(ctx context.Context, u identity.User) (Result, error) {
	var done Result
	err := r.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		err := identity.KeepAdmin(ctx, tx, u.ID)
		if err != nil {
			return err
		}
		if done, err = r.clear(ctx, tx, ownership.Owner{Kind: ownership.User, ID: u.ID, Name: u.Name}); err != nil {
			return err
		}
		return r.removeUser(ctx, tx, u, done.NameKept)
	})
	return done, err
}

// Org removes an organization.
func (r *Remover) Org(ctx context.Context, o identity.Org) (Result, error) {
	var done Result
	err := r.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if done, err = r.clear(ctx, tx, ownership.Owner{Kind: ownership.Org, ID: o.ID, Name: o.Name}); err != nil {
			return err
		}
		return r.removeOrg(ctx, tx, o, done.NameKept)
	})
	return done, err
}

// Team removes a team. Its name is free afterwards: history does not name teams.
func (r *Remover) Team(ctx context.Context, t identity.Team) error {
	return r.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := r.clear(ctx, tx, ownership.Owner{Kind: ownership.Team, ID: t.ID, Name: t.Name}); err != nil {
			return err
		}
		return r.removeTeam(ctx, tx, t)
	})
}

// removeUser ends a user with every session, token, key, grant and membership. Where
// others' things mention the user a row with nothing but the name stays, so that they can
// go on doing so, and the name is given to no other user.
func (r *Remover) removeUser(ctx context.Context, tx *database.Tx, u identity.User, mentioned bool) error {
	r.identity.ForgetUserIn(tx, u.ID)
	n, err := emptyUser(ctx, tx, u.ID, r.identity.Now())
	if err := found(n, err, "user", u.ID); err != nil {
		return err
	}
	if !mentioned {
		if err := deleteUser(ctx, tx, u.ID); err != nil {
			return err
		}
		if err := freeName(ctx, tx, u.Name); err != nil {
			return err
		}
	}
	return r.identity.RecordIn(ctx, tx, audittrail.Act{Action: "user.remove", Object: u.Name})
}

// removeOrg ends an organization with its memberships, policies and credentials. The
// name of one that is mentioned is not given to another.
func (r *Remover) removeOrg(ctx context.Context, tx *database.Tx, o identity.Org, mentioned bool) error {
	r.identity.ForgetAllIn(tx)
	if err := deleteGivenMemberships(ctx, tx, string(oidc.Org), o.ID); err != nil {
		return err
	}
	n, err := deleteOrg(ctx, tx, o.ID)
	if err := found(n, err, "organization", o.ID); err != nil {
		return err
	}
	if !mentioned {
		if err := freeName(ctx, tx, o.Name); err != nil {
			return err
		}
	}
	return r.identity.RecordIn(ctx, tx, audittrail.Act{Action: "org.remove", Object: o.Name})
}

// removeTeam ends a team with its memberships and every credential for it.
func (r *Remover) removeTeam(ctx context.Context, tx *database.Tx, t identity.Team) error {
	r.identity.ForgetAllIn(tx)
	if err := deleteGivenMemberships(ctx, tx, string(oidc.Team), t.ID); err != nil {
		return err
	}
	n, err := deleteTeam(ctx, tx, t.ID)
	if err := found(n, err, "team", t.ID); err != nil {
		return err
	}
	return r.identity.RecordIn(ctx, tx, audittrail.Act{Action: "team.remove", Object: t.Name})
}

// found is the error of a change of so many rows: none means that the thing is gone.
func found(rows int64, err error, what string, id int64) error {
	if err == nil && rows == 0 {
		return &identity.NotFoundError{What: what, Name: strconv.FormatInt(id, 10)}
	}
	return err
}
