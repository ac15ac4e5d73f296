package identity

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/platform/database"
)

// CheckPassword finds the user who signs in. The errors are ErrWrongPassword,
// ErrDisabled (only with the right password), or the database's.
func (i *Identity) CheckPassword(ctx context.Context, name, password string) (User, error) {
	u, err := i.checkPassword(ctx, name, password)
	if errors.Is(err, errRehashed) {
		u, err = i.checkPassword(ctx, name, password) // against what is stored now
	}
	return u, err
}

// errRehashed is the ErrWrongPassword of a right one whose stored hash was replaced in the same moment: by another
// sign-in, at today's cost, or because the password was changed.
var errRehashed = fmt.Errorf("%w: its hash was replaced meanwhile", ErrWrongPassword)

func (i *Identity) checkPassword(ctx context.Context, name, password string) (User, error) {
	u, hash, err := userWithPassword(ctx, i.db, name)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return User{}, err
	}
	if err != nil || hash == "" {
		if err := i.passwords.VerifyNothing(ctx, password); err != nil {
			return User{}, err
		}
		return User{}, ErrWrongPassword
	}
	fits, stale, err := i.passwords.Verify(ctx, hash, password)
	switch {
	case err != nil:
		return User{}, err
	case !fits:
		return User{}, ErrWrongPassword
	case u.Disabled:
		return User{}, ErrDisabled
	case stale:
		hash, err = i.rehash(ctx, u.ID, hash, password)
	}
	u.password = hash
	return u, err
}

// rehash stores the same password at today's cost. It fails with errRehashed where another hash is stored in the
// meantime.
func (i *Identity) rehash(ctx context.Context, userID int64, old, password string) (string, error) {
	hash, err := i.passwords.Hash(ctx, i.ids, password)
	if err != nil {
		return "", err
	}
	return hash, i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := updatePassword(ctx, tx, userID, old, hash)
		if err == nil && n == 0 {
			return errRehashed
		}
		return err
	})
}

// SetPassword gives the user a new password, as an operator may. Every session of
// the user ends: one of them may belong to another who knew the old password.
func (i *Identity) SetPassword(ctx context.Context, userID int64, password string) error {
	return i.replacePassword(ctx, User{ID: userID}, password)
}

func (i *Identity) replacePassword(ctx context.Context, u User, password string) error {
	hash, err := i.hashNewPassword(ctx, password)
	if err != nil {
		return err
	}
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := updatePassword(ctx, tx, u.ID, u.password, hash)
		if err == nil && n == 0 && u.password != "" {
			return ErrWrongPassword // it was changed meanwhile
		}
		if err := orNotChanged(n, err)("user", u.ID); err != nil {
			return err
		}
		_, err = deleteSessions(ctx, tx, u.ID, 0)
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "user.password", UserID: u.ID})
	})
}

// ChangePassword is how users change their own: the old one must be right.
func (i *Identity) ChangePassword(ctx context.Context, name, old, password string) error {
	if err := i.CheckNewPassword(password); err != nil {
		return err
	}
	u, err := i.CheckPassword(ctx, name, old)
	if err != nil {
		return err
	}
	return i.replacePassword(ctx, u, password)
}

// CheckNewPassword is nil when the password may be set; the error is an *InvalidError.
func (i *Identity) CheckNewPassword(password string) error {
	err := i.passwords.CheckNew(password)
	if rule, ok := errors.AsType[*passwords.RuleError](err); ok {
		return &InvalidError{"password", rule.Reason}
	}
	return err
}

func (i *Identity) hashNewPassword(ctx context.Context, password string) (string, error) {
	if err := i.CheckNewPassword(password); err != nil {
		return "", err
	}
	return i.passwords.Hash(ctx, i.ids, password)
}

// NewPassword generates a password of 20 characters, none of which looks like
// another.
func (i *Identity) NewPassword() string {
	return i.ids.Text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", 20)
}
