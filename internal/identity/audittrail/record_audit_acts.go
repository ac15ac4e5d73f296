package audittrail

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
)

// NameOf finds the name of a user, an organization or a team.
type NameOf = func(ctx context.Context, q database.Querier, id int64) (string, error)

// Name is NameOf by what finds a row and reads its name.
func Name[T any](
	find func(ctx context.Context, q database.Querier, id int64) (T, error), name func(T) string,
) NameOf {
	return func(ctx context.Context, q database.Querier, id int64) (string, error) {
		row, err := find(ctx, q, id)
		return name(row), err
	}
}

// Trail records acts with the names of what they are about.
type Trail struct {
	// Now is the world's time.
	Now             func() time.Time
	User, Org, Team NameOf
}

// Act is what was done. The object is named, or is the organization, the team or the
// user with the id; a user beside one of the others is the member it is about.
type Act struct {
	Action, Object, Detail string
	OrgID, TeamID, UserID  int64
	// User is the name of the user with the id where it is known in this transaction
	// already; empty means that it is read.
	User string
	// Actor and Credential are who acts where the context does not know it yet.
	Actor, Credential string
	Outcome           audit.Outcome
}

// After records an act that ended with err: one that failed is not on record. It
// returns err, or why the record could not be written, which undoes the act.
func (t Trail) After(ctx context.Context, tx *database.Tx, err error, a Act) error {
	if err != nil {
		return err
	}
	if a.Object, a.Detail, err = t.names(ctx, tx, a); err != nil {
		return err
	}
	return audit.Record(ctx, tx, t.Now(), audit.Entry{
		Actor: a.Actor, Credential: a.Credential, Action: a.Action, Object: a.Object, Outcome: a.Outcome, Detail: a.Detail,
	})
}

func (t Trail) names(ctx context.Context, tx *database.Tx, a Act) (object, detail string, err error) {
	object, detail = a.Object, a.Detail
	switch {
	case a.OrgID != 0:
		object, err = t.Org(ctx, tx, a.OrgID)
	case a.TeamID != 0:
		object, err = t.Team(ctx, tx, a.TeamID)
	}
	if err != nil || a.UserID == 0 {
		return object, detail, err
	}
	user := a.User
	if user == "" {
		user, err = t.User(ctx, tx, a.UserID)
	}
	if object == "" {
		return user, detail, err
	}
	return object, strings.TrimSpace("user " + user + " " + detail), err
}

// Credential is a token or key.
type Credential struct {
	ID       int64
	Kind     string
	Key      bool
	Services []string
	Repo     string
	UserID   int64
	// Replaced is the id of the key that it takes the place of.
	Replaced int64
}

// Act names what is done to the credential: issue, replace or revoke.
func (c Credential) Act(verb string) Act {
	detail := c.Kind + " for " + strings.Join(c.Services, ", ")
	if c.Repo != "" {
		detail += " of " + c.Repo
	}
	if c.Replaced != 0 {
		detail += " in place of " + strconv.FormatInt(c.Replaced, 10)
	}
	return Act{
		Action: c.what() + "." + verb, Object: c.name(), UserID: c.UserID, Detail: detail,
	}
}

func (c Credential) what() string {
	if c.Key {
		return "key"
	}
	return "token"
}

func (c Credential) name() string { return c.what() + " " + strconv.FormatInt(c.ID, 10) }

// Change is what changes of a user; nil and false leave a member as it is.
type Change struct {
	DisplayName, Email bool
	Admin, Disabled    *bool
}

// Act names the change: the ones that matter most have a name of their own.
func (c Change) Act(user string) Act {
	a := Act{Action: "user.set", Object: user}
	var parts []string
	if c.DisplayName {
		parts = append(parts, "display name")
	}
	if c.Email {
		parts = append(parts, "email")
	}
	if c.Admin != nil {
		parts = append(parts, "administrator: "+yes(*c.Admin))
	}
	if c.Disabled != nil {
		a.Action = "user.enable"
		if *c.Disabled {
			a.Action = "user.disable"
		}
	}
	a.Detail = strings.Join(parts, ", ")
	return a
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Plan names the plan of an organization.
func Plan(enterprise bool) string { return "enterprise: " + yes(enterprise) }

// Administrator says whether a new user is one.
func Administrator(admin bool) string { return "administrator: " + yes(admin) }

// Caller is who a credential speaks for.
type Caller struct {
	Name, ClientID string
	Credential     Credential
}

// Actor names the caller and its credential. What no row stands for, such as a
// client's secret, is named by its kind.
func (c Caller) Actor() audit.Actor {
	a := audit.Actor{Name: c.Name, Credential: c.Credential.Kind}
	if c.Credential.ID > 0 {
		a.Credential += " " + c.Credential.name()
	}
	switch {
	case a.Name != "":
	case c.ClientID != "":
		a.Name = "application " + c.ClientID
	case c.Credential.Repo != "":
		a.Name = "repository " + c.Credential.Repo
	}
	return a
}
