package identity

import (
	"context"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
)

// newTrail is what puts acts on record with the names of what they are about.
func (i *Identity) newTrail() audittrail.Trail {
	return audittrail.Trail{
		Now:  i.now,
		User: audittrail.Name(userByID, func(u User) string { return u.Name }),
		Org:  audittrail.Name(orgByID, func(o Org) string { return o.Name }),
		Team: audittrail.Name(teamByID, func(t Team) string { return t.Name }),
	}
}

// RecordIn puts an act in the audit trail, in the caller's transaction.
func (i *Identity) RecordIn(ctx context.Context, tx *database.Tx, a audittrail.Act) error {
	return i.trail.After(ctx, tx, nil, a)
}

// RecordRefusedSignIn records an attempt to sign in that was refused. A name that no
// user has is not kept: it may be a password that was typed into the wrong field.
func (i *Identity) RecordRefusedSignIn(ctx context.Context, name, reason string) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		u, err := userByName(ctx, tx, name)
		if errors.Is(err, database.ErrNotFound) {
			u, err = User{Name: "a name that no user has"}, nil
		}
		act := audittrail.Act{Action: "session.start", Object: u.Name, Outcome: audit.Refused, Detail: reason}
		return i.trail.After(ctx, tx, err, act)
	})
}

// signedIn records that a session began, as an act of the user who signed in.
func (i *Identity) signedIn(ctx context.Context, tx *database.Tx, err error, s Session) error {
	if err != nil {
		return err
	}
	u, err := userByID(ctx, tx, s.UserID)
	name := sessionName(s.ID)
	act := audittrail.Act{Action: "session.start", Object: name, Actor: u.Name, Credential: name}
	return i.trail.After(ctx, tx, err, act)
}

func sessionName(id int64) string { return "session " + strconv.FormatInt(id, 10) }

func (c Client) act(action string) audittrail.Act {
	return audittrail.Act{Action: action, Object: c.Name, Detail: string(c.Type) + " " + c.ID}
}

func (c UserChange) act(user string) audittrail.Act {
	return audittrail.Change{
		DisplayName: c.DisplayName != nil, Email: c.Email != nil, Admin: c.Admin, Disabled: c.Disabled,
	}.Act(user)
}

func (t Token) credential() audittrail.Credential {
	return audittrail.Credential{
		ID: t.ID, Kind: string(t.Kind), Key: IsKey(t.Kind), Services: t.Services, Repo: t.Repo, UserID: t.UserID,
	}
}

// Actor says who the caller is in the audit trail.
func (c *Caller) Actor() audit.Actor {
	t := Token{ID: c.TokenID, Kind: c.Kind, Repo: c.Repo}
	return audittrail.Caller{Name: c.UserName, ClientID: c.ClientID, Credential: t.credential()}.Actor()
}
