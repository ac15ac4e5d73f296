package identity

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/database"
)

// User is a human user, or the principal of a service account.
type User struct {
	// ID never changes and is never used again.
	ID          int64
	Name        string
	DisplayName string
	Email       string
	Admin       bool
	Disabled    bool
	// ServiceAccount users belong to a client and cannot sign in.
	ServiceAccount bool
	CreatedAt      time.Time
	// password is what is stored of the one that CheckPassword found right.
	password string
}

// Address is the user's e-mail address: for answers that must show one it is one of this
// machine where the account has none.
func (u User) Address() string { return cmp.Or(u.Email, u.Name+"@"+LocalDomain) }

// LocalDomain is the domain of users who have no mail address.
const LocalDomain = "localhost"

// NewUser is what AddUser needs. An empty password means the user cannot sign
// in with one.
type NewUser struct {
	Name, DisplayName, Email string
	Password                 string
	Admin                    bool
}

// UserChange holds the members to change; nil leaves one as it is.
type UserChange struct {
	DisplayName, Email *string
	Admin, Disabled    *bool
}

// Check reports what makes no user, all at once, but for the password.
func (n NewUser) Check() error {
	return errors.Join(
		checkName("user name", n.Name), checkText("display name", n.DisplayName, 255), checkEmail(n.Email))
}

// AddUser makes a user. The name must be free among users and organizations.
func (i *Identity) AddUser(ctx context.Context, n NewUser) (User, error) {
	err := n.Check()
	if err != nil {
		return User{}, err
	}
	hash := ""
	if n.Password != "" {
		if hash, err = i.hashNewPassword(ctx, n.Password); err != nil {
			return User{}, err
		}
	}
	u := User{Name: n.Name, DisplayName: n.DisplayName, Email: n.Email, Admin: n.Admin, CreatedAt: i.now()}
	err = i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		u.ID, err = insertUser(ctx, tx, u, hash)
		act := audittrail.Act{Action: "user.add", Object: u.Name, Detail: audittrail.Administrator(u.Admin)}
		return i.trail.After(ctx, tx, err, act)
	})
	return u, err
}

// User finds a user by id.
func (i *Identity) User(ctx context.Context, id int64) (User, error) {
	return orNotFound(userByID(ctx, i.db, id))("user", strconv.FormatInt(id, 10))
}

// UserByName finds a user without regard to case.
func (i *Identity) UserByName(ctx context.Context, name string) (User, error) {
	return orNotFound(i.named.Get(ctx, i.db, Fold(name)))("user", name)
}

// maxUserBytes bounds the users that are kept by name.
const maxUserBytes = 1 << 20

func userCost(name string, u User) int {
	return len(name) + len(u.Name) + len(u.DisplayName) + len(u.Email)
}

// UserByEmail finds the user with a mail address, without regard to case; the first of several.
func (i *Identity) UserByEmail(ctx context.Context, email string) (User, error) {
	return orNotFound(userByEmail(ctx, i.db, email))("user", email)
}

// Users lists users in the order of their ids, starting after the given id;
// limit 0 means all.
func (i *Identity) Users(ctx context.Context, after int64, limit int) ([]User, error) {
	return usersAfter(ctx, i.db, after, limit)
}

// UsersByID finds several users at once, in no particular order. Ids without a
// user are left out.
func (i *Identity) UsersByID(ctx context.Context, ids []int64) ([]User, error) {
	return usersByID(ctx, i.db, ids)
}

// OnUserChange makes f hear of every user that changes, after the change is durable
// and before the request for it is answered. Services that cache users call it
// before they serve.
func (i *Identity) OnUserChange(f func(id int64)) {
	i.watchers.Lock()
	defer i.watchers.Unlock()
	i.watchers.list = append(i.watchers.list, f)
}

func (i *Identity) userChanged(id int64) {
	i.forgetAll()
	i.watchers.Lock()
	list := i.watchers.list
	i.watchers.Unlock()
	for _, f := range list {
		f(id)
	}
}

// CountUsers counts the users, service accounts left out. Zero means that the
// installation is new and needs its first administrator.
func (i *Identity) CountUsers(ctx context.Context) (int64, error) { return countUsers(ctx, i.db) }

// UpdateUser changes a user. Disabling one takes effect on the next request
// of any of that user's credentials, everywhere.
func (i *Identity) UpdateUser(ctx context.Context, id int64, c UserChange) (User, error) {
	if c.DisplayName != nil {
		if err := checkText("display name", *c.DisplayName, 255); err != nil {
			return User{}, err
		}
	}
	if c.Email != nil {
		if err := checkEmail(*c.Email); err != nil {
			return User{}, err
		}
	}
	var u User
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if u, err = userByID(ctx, tx, id); err != nil {
			return err
		}
		set(&u.DisplayName, c.DisplayName)
		set(&u.Email, c.Email)
		set(&u.Admin, c.Admin)
		set(&u.Disabled, c.Disabled)
		if !u.Admin || u.Disabled {
			if err := KeepAdmin(ctx, tx, id); err != nil {
				return err
			}
		}
		tx.OnCommit(func() { i.userChanged(id) })
		return i.trail.After(ctx, tx, updateUser(ctx, tx, u), c.act(u.Name))
	})
	return orNotFound(u, err)("user", strconv.FormatInt(id, 10))
}

// DisableUser is UpdateUser for the one change that matters most.
func (i *Identity) DisableUser(ctx context.Context, id int64, disabled bool) error {
	_, err := i.UpdateUser(ctx, id, UserChange{Disabled: &disabled})
	return err
}

// set changes dst when there is something to change it to.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}

// orNotFound turns the database's "no row" into a NotFoundError that says what was
// looked for.
func orNotFound[T any](v T, err error) func(what, name string) (T, error) {
	return func(what, name string) (T, error) {
		if errors.Is(err, database.ErrNotFound) {
			return v, &NotFoundError{what, name}
		}
		return v, err
	}
}

// now is the world's time in the precision that is stored, so that a value
// just made equals the same value read back.
func (i *Identity) now() time.Time { return i.clock.Now().UTC().Truncate(time.Microsecond) }
