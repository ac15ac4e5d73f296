package identity

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const userColumns = `u.id, u.name, u.display_name, u.email, u.admin, u.disabled, u.service_account, u.created_at`

func scanUser(s database.Scanner) (u User, err error) { return u, s.Scan(userFields(&u)...) }

// userFields are the places that userColumns are read into.
func userFields(u *User) []any {
	return []any{
		&u.ID, &u.Name, &u.DisplayName, &u.Email, &u.Admin, &u.Disabled, &u.ServiceAccount,
		database.ScanTime(&u.CreatedAt),
	}
}

func insertUser(ctx context.Context, tx *database.Tx, u User, hash string) (int64, error) {
	if err := claimName(ctx, tx, u.Name, "user"); err != nil {
		return 0, err
	}
	return singlerow.Insert(ctx, tx, "id", `INSERT INTO identity_users
		(name, folded_name, display_name, email, password_hash, admin, disabled, service_account, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		u.Name, Fold(u.Name), u.DisplayName, u.Email, hash, u.Admin, u.Disabled, u.ServiceAccount,
		database.Time(u.CreatedAt))
}

// claimName takes a name in the space that users and organizations share.
func claimName(ctx context.Context, q database.Querier, name, kind string) error {
	r, err := q.Exec(ctx, `INSERT INTO identity_names (name, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		Fold(name), kind)
	if err == nil && r.RowsAffected == 0 {
		return &TakenError{"name", name}
	}
	return err
}

func userByID(ctx context.Context, q database.Querier, id int64) (User, error) {
	return database.One(ctx, q, scanUser, `SELECT `+userColumns+` FROM identity_users u WHERE u.id = $1`, id)
}

func userByName(ctx context.Context, q database.Querier, name string) (User, error) {
	return userByFoldedName(ctx, q, Fold(name))
}

func userByFoldedName(ctx context.Context, q database.Querier, folded string) (User, error) {
	return database.One(ctx, q, scanUser,
		`SELECT `+userColumns+` FROM identity_users u WHERE u.folded_name = $1 AND u.removed_at IS NULL`, folded)
}

func userByEmail(ctx context.Context, q database.Querier, email string) (User, error) {
	return database.One(ctx, q, scanUser, `SELECT `+userColumns+` FROM identity_users u
		WHERE lower(u.email) = $1 AND u.email <> '' ORDER BY u.id LIMIT 1`, strings.ToLower(email))
}

func userWithPassword(ctx context.Context, q database.Querier, name string) (u User, hash string, err error) {
	err = q.QueryRow(ctx, `SELECT `+userColumns+`, u.password_hash FROM identity_users u
		WHERE u.folded_name = $1 AND u.removed_at IS NULL`, Fold(name)).Scan(append(userFields(&u), &hash)...)
	return u, hash, err
}

func usersAfter(ctx context.Context, q database.Querier, after int64, limit int) ([]User, error) {
	return database.All(ctx, q, scanUser, `SELECT `+userColumns+` FROM identity_users u
		WHERE u.id > $1 AND u.removed_at IS NULL ORDER BY u.id LIMIT $2`, after, noLimit(limit))
}

func usersByID(ctx context.Context, q database.Querier, ids []int64) ([]User, error) {
	list, args := database.In(1, ids)
	return database.All(ctx, q, scanUser, `SELECT `+userColumns+` FROM identity_users u WHERE u.id IN `+list, args...)
}

func countUsers(ctx context.Context, q database.Querier) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM identity_users WHERE NOT service_account AND removed_at IS NULL`).Scan(&n)
	return n, err
}

// KeepAdmin refuses to lose an administrator where no other user could take over. A service account cannot: it never
// signs in.
func KeepAdmin(ctx context.Context, q database.Querier, id int64) error {
	var last bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM identity_users WHERE id = $1 AND admin AND NOT disabled
			AND NOT service_account)
		AND NOT EXISTS (SELECT 1 FROM identity_users WHERE admin AND NOT disabled AND NOT service_account
			AND id <> $1)`, id).Scan(&last)
	if err == nil && last {
		return ErrLastAdmin
	}
	return err
}

func updateUser(ctx context.Context, q database.Querier, u User) error {
	_, err := q.Exec(ctx, `UPDATE identity_users SET display_name = $1, email = $2, admin = $3, disabled = $4
		WHERE id = $5`,
		u.DisplayName, u.Email, u.Admin, u.Disabled, u.ID)
	return err
}

// updatePassword replaces the old password, or any where that is empty.
func updatePassword(ctx context.Context, q database.Querier, id int64, old, hash string) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE identity_users SET password_hash = $1
		WHERE id = $2 AND NOT service_account AND password_hash = COALESCE($3, password_hash)`, hash, id, orNull(old))
	return r.RowsAffected, err
}

// noLimit turns 0 into a number no list reaches; LIMIT takes no NULL on one of
// the engines and no -1 on the other.
func noLimit(limit int) int64 {
	if limit <= 0 {
		return 1 << 62
	}
	return int64(limit)
}

// orMissing names what a foreign key did not find.
func orMissing(err error, what, name string) error {
	if errors.Is(err, database.ErrForeignKey) {
		return &NotFoundError{what, name}
	}
	return err
}

// orNull stores "none" as NULL, so that foreign keys hold.
func orNull[T comparable](v T) any {
	var none T
	if v == none {
		return nil
	}
	return v
}
