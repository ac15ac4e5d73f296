package forge

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

func memberPermission(ctx context.Context, q database.Querier, id, userID int64) (Permission, error) {
	var word string
	err := q.QueryRow(ctx, `SELECT permission FROM forge_members WHERE repository_id = $1 AND user_id = $2`,
		id, userID).Scan(&word)
	if errors.Is(err, database.ErrNotFound) {
		return None, nil
	}
	if err != nil {
		return None, err
	}
	return ParsePermission(word)
}

func putMember(ctx context.Context, tx *database.Tx, id, userID int64, p Permission) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_members (repository_id, user_id, permission) VALUES ($1, $2, $3)
		ON CONFLICT (repository_id, user_id) DO UPDATE SET permission = excluded.permission`, id, userID, p.String())
	return err
}

func deleteMember(ctx context.Context, tx *database.Tx, id, userID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_members WHERE repository_id = $1 AND user_id = $2`, id, userID)
	return err
}

func membersOf(ctx context.Context, q database.Querier, id int64) ([]Member, error) {
	scan := func(s database.Scanner) (m Member, err error) {
		var word string
		if err = s.Scan(&m.UserID, &word); err == nil {
			m.Permission, err = ParsePermission(word)
		}
		return m, err
	}
	return database.All(ctx, q, scan,
		`SELECT user_id, permission FROM forge_members WHERE repository_id = $1 ORDER BY user_id`, id)
}
