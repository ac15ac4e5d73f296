package identity

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/database"
)

// ExternalUser ties a user to an account at a provider.
type ExternalUser struct {
	Issuer, Subject string
	UserID          int64
	CreatedAt       time.Time
}

// SignInProvider is where users sign in besides here; nil when there is none.
func (i *Identity) SignInProvider() *oidc.Provider { return i.o.SignIn }

// SignInExternal finds the user of an account that a provider vouches for, or makes
// one at the first sign-in, and brings display name, mail address and memberships up
// to date. The account of an existing user is never taken over because names or
// addresses are alike: LinkExternal is the operator's. The error is ErrDisabled for
// users who are shut out. The last administrator stays one, whatever the groups say, as does
// a team's last owner. Missing lists the organizations and teams of the
// configuration that do not exist.
func (i *Identity) SignInExternal(ctx context.Context, a oidc.Account) (u User, missing []string, err error) {
	// Not keyed: an operator who changes the user meanwhile has another key.
	err = i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if u, err = i.externalUser(ctx, tx, a); err != nil {
			return err
		}
		if u.Disabled {
			return ErrDisabled
		}
		wasAdmin := u.Admin
		missing, err = i.syncMemberships(ctx, tx, &u, a.Memberships, nextTime)
		if err != nil {
			return err
		}
		tx.OnCommit(func() { i.userChanged(u.ID) })
		if err := updateUser(ctx, tx, u); err != nil || u.Admin == wasAdmin {
			return err
		}
		return i.trail.After(ctx, tx, nil, UserChange{Admin: &u.Admin}.act(u.Name))
	})
	return u, missing, err
}

// externalUser finds the user of an account or makes one.
func (i *Identity) externalUser(ctx context.Context, tx *database.Tx, a oidc.Account) (User, error) {
	link, err := externalUser(ctx, tx, a.Issuer, a.Subject)
	if err == nil {
		u, err := userByID(ctx, tx, link.UserID)
		if err == nil && !u.Disabled {
			describe(&u, a)
		}
		return u, err
	}
	if !errors.Is(err, database.ErrNotFound) {
		return User{}, err
	}
	u := User{CreatedAt: i.now()}
	describe(&u, a)
	for n := range maxNameTries {
		u.Name = numbered(externalName(a), n)
		u.ID, err = insertUser(ctx, tx, u, "")
		if !errors.Is(err, ErrTaken) {
			break
		}
	}
	if err != nil {
		return User{}, err
	}
	err = insertExternalUser(ctx, tx, ExternalUser{a.Issuer, a.Subject, u.ID, u.CreatedAt})
	act := audittrail.Act{Action: "user.add", Object: u.Name, Detail: "at the first sign-in at the provider"}
	return u, i.trail.After(ctx, tx, err, act)
}

// describe takes over what the provider says, where it can be kept here.
func describe(u *User, a oidc.Account) {
	if a.Name != "" && checkText("display name", a.Name, 255) == nil {
		u.DisplayName = a.Name
	}
	if a.Email != "" && checkEmail(a.Email) == nil {
		u.Email = a.Email
	}
}

// maxNameTries is how many numbers are tried behind a name that is taken.
const maxNameTries = 1000

const maxName = 39

// externalName makes a name by the rules of this server from the one at the provider,
// or else from the mail address.
func externalName(a oidc.Account) string {
	for _, text := range []string{a.UserName, a.Email, a.Subject} {
		text, _, _ = strings.Cut(text, "@")
		name := strings.Map(func(c rune) rune {
			switch {
			case c < 0x80 && isAlnum(byte(c)), c == '_':
				return c
			case c == '-', c == '.', c == ' ', c == '+':
				return '-'
			}
			return -1
		}, text)
		name = strings.Trim(name[:min(len(name), maxName)], "-_")
		if checkName("user name", name) == nil {
			return name
		}
	}
	return "user"
}

// numbered is the n-th spelling of a name: ada, ada-2, ada-3.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	suffix := "-" + strconv.Itoa(n+1)
	return strings.TrimRight(name[:min(len(name), maxName-len(suffix))], "-_") + suffix
}

// LinkExternal lets a user of this server sign in with an account at a provider.
func (i *Identity) LinkExternal(ctx context.Context, userID int64, issuer, subject string) error {
	if subject == "" || len(subject) > 255 {
		return &InvalidError{"subject", "must have 1 to 255 characters"}
	}
	now := i.now()
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := orNotFound(userByID(ctx, tx, userID))("user", strconv.FormatInt(userID, 10)); err != nil {
			return err
		}
		switch link, err := externalUser(ctx, tx, issuer, subject); {
		case err == nil && link.UserID == userID:
			return nil
		case err == nil:
			return &TakenError{"subject", subject}
		case !errors.Is(err, database.ErrNotFound):
			return err
		}
		return i.trail.After(ctx, tx, insertExternalUser(ctx, tx, ExternalUser{issuer, subject, userID, now}),
			audittrail.Act{Action: "user.link", UserID: userID, Detail: "to an account at " + issuer})
	})
}

// UnlinkExternal ends every link of a user and with them the memberships that groups
// of the provider gave. ErrLastAdmin and ErrLastOwner mean that one of them cannot end,
// because no other user could take over.
func (i *Identity) UnlinkExternal(ctx context.Context, userID int64) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		u, err := orNotFound(userByID(ctx, tx, userID))("user", strconv.FormatInt(userID, 10))
		if err != nil {
			return err
		}
		if _, err := i.syncMemberships(ctx, tx, &u, nil, atOnce); err != nil {
			return err
		}
		if err := updateUser(ctx, tx, u); err != nil {
			return err
		}
		tx.OnCommit(func() { i.userChanged(userID) })
		err = orNotChanged(deleteExternalUsers(ctx, tx, userID))("link of user", userID)
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "user.unlink", Object: u.Name})
	})
}

// ExternalUsers lists the accounts that a user signs in with elsewhere.
func (i *Identity) ExternalUsers(ctx context.Context, userID int64) ([]ExternalUser, error) {
	return externalUsersOf(ctx, i.db, userID)
}
