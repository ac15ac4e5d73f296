package identity

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
)

// Actor says who the caller is in the audit trail.
func (c *Caller) Actor() audit.Actor {
	a := audit.Actor{Name: c.UserName, Credential: string(c.Kind)}
	switch {
	case c.TokenID > 0 && IsKey(c.Kind):
		a.Credential += " key " + strconv.FormatInt(c.TokenID, 10)
	case c.TokenID > 0:
		a.Credential += " token " + strconv.FormatInt(c.TokenID, 10)
	case c.text != "":
		a.Credential = "session"
	}
	if a.Name == "" && c.ClientID != "" {
		a.Name = "application " + c.ClientID
	}
	if a.Name == "" && c.Repo != "" {
		a.Name = "repository " + c.Repo
	}
	return a
}

// record puts an act in the audit trail, in the transaction of the act.
func (i *Identity) record(ctx context.Context, tx *database.Tx, action, object, detail string) error {
	return audit.Record(ctx, tx, i.now(), audit.Entry{Action: action, Object: object, Detail: detail})
}

// recordUser is record for what is done to a user.
func (i *Identity) recordUser(ctx context.Context, tx *database.Tx, action string, userID int64, detail string) error {
	u, err := userByID(ctx, tx, userID)
	if err != nil {
		return err
	}
	return i.record(ctx, tx, action, u.Name, detail)
}

// recordSignIn records that a session began, as an act of the user who signed in.
func (i *Identity) recordSignIn(ctx context.Context, tx *database.Tx, s Session) error {
	u, err := userByID(ctx, tx, s.UserID)
	if err != nil {
		return err
	}
	name := "session " + strconv.FormatInt(s.ID, 10)
	return audit.Record(ctx, tx, i.now(), audit.Entry{
		Actor: u.Name, Credential: name, Action: "session.start", Object: name,
	})
}

// RecordRefusedSignIn records an attempt to sign in that was refused. A name that no
// user has is not kept: it may be a password that was typed into the wrong field.
func (i *Identity) RecordRefusedSignIn(ctx context.Context, name, reason string) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		object := "a name that no user has"
		u, err := userByName(ctx, tx, name)
		switch {
		case err == nil:
			object = u.Name
		case !errors.Is(err, database.ErrNotFound):
			return err
		}
		return audit.Record(ctx, tx, i.now(), audit.Entry{
			Action: "session.start", Object: object, Outcome: audit.Refused, Detail: reason,
		})
	})
}

// recordOrg records what is done to an organization, or to one of its members.
func (i *Identity) recordOrg(
	ctx context.Context, tx *database.Tx, action string, orgID, userID int64, detail string,
) error {
	o, err := orgByID(ctx, tx, orgID)
	if err != nil {
		return err
	}
	return i.recordMember(ctx, tx, action, o.Name, userID, detail)
}

// recordTeam records what is done to a member of a team.
func (i *Identity) recordTeam(
	ctx context.Context, tx *database.Tx, action string, teamID, userID int64, detail string,
) error {
	t, err := teamByID(ctx, tx, teamID)
	if err != nil {
		return err
	}
	return i.recordMember(ctx, tx, action, t.Name, userID, detail)
}

func (i *Identity) recordMember(
	ctx context.Context, tx *database.Tx, action, group string, userID int64, detail string,
) error {
	if userID != 0 {
		u, err := userByID(ctx, tx, userID)
		if err != nil {
			return err
		}
		detail = strings.TrimSpace("user " + u.Name + " " + detail)
	}
	return i.record(ctx, tx, action, group, detail)
}

func (i *Identity) recordClient(ctx context.Context, tx *database.Tx, action string, c Client) error {
	return i.record(ctx, tx, action, c.Name, string(c.Type)+" "+c.ID)
}

// madeByHand reports whether somebody asked for this token itself. Those that
// applications get by a grant follow from the grant, which is on record.
func madeByHand(t Token) bool { return t.Kind == KindPersonal || t.Kind == KindProject }

// recordCredential records what is done to a token or key.
func (i *Identity) recordCredential(ctx context.Context, tx *database.Tx, verb string, t Token) error {
	return i.recordKind(ctx, tx, verb, t, "")
}

// recordReplacement records that a new key took the place of an old one.
func (i *Identity) recordReplacement(ctx context.Context, tx *database.Tx, old int64, t Token) error {
	return i.recordKind(ctx, tx, "replace", t, "in place of "+strconv.FormatInt(old, 10))
}

func (i *Identity) recordKind(ctx context.Context, tx *database.Tx, verb string, t Token, detail string) error {
	what := "token"
	if IsKey(t.Kind) {
		what = "key"
	}
	texts := []string{string(t.Kind), "for", strings.Join(t.Services, ", ")}
	if t.UserID != 0 {
		u, err := userByID(ctx, tx, t.UserID)
		if err != nil {
			return err
		}
		texts = append(texts, "of", u.Name)
	}
	if t.Repo != "" {
		texts = append(texts, "of", t.Repo)
	}
	object := what + " " + strconv.FormatInt(t.ID, 10)
	return i.record(ctx, tx, what+"."+verb, object, strings.TrimSpace(strings.Join(texts, " ")+" "+detail))
}

// action names the change: the ones that matter most have a name of their own.
func (c UserChange) action() (action, detail string) {
	switch {
	case c.Disabled != nil && *c.Disabled:
		return "user.disable", c.text()
	case c.Disabled != nil:
		return "user.enable", c.text()
	}
	return "user.set", c.text()
}

// text names the members that change.
func (c UserChange) text() string {
	var parts []string
	if c.DisplayName != nil {
		parts = append(parts, "display name")
	}
	if c.Email != nil {
		parts = append(parts, "email")
	}
	switch {
	case c.Admin == nil:
	case *c.Admin:
		parts = append(parts, "administrator: yes")
	default:
		parts = append(parts, "administrator: no")
	}
	return strings.Join(parts, ", ")
}

func adminText(admin bool) string {
	if admin {
		return "administrator"
	}
	return ""
}

func planText(enterprise bool) string {
	if enterprise {
		return "enterprise plan"
	}
	return "plain plan"
}
