package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// insertStar reports whether the star is new.
func insertStar(ctx context.Context, tx *database.Tx, id, userID int64, at time.Time) (bool, error) {
	result, err := tx.Exec(ctx, `
		INSERT INTO forge_stars (repository_id, user_id, starred_at) VALUES ($1, $2, $3)
		ON CONFLICT (repository_id, user_id) DO NOTHING`, id, userID, database.Time(at))
	return result.RowsAffected > 0, err
}

func deleteStar(ctx context.Context, tx *database.Tx, id, userID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_stars WHERE repository_id = $1 AND user_id = $2`, id, userID)
	return err
}

func countStars(ctx context.Context, q database.Querier, id int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_stars WHERE repository_id = $1`, id).Scan(&n)
	return n, err
}

func countForks(ctx context.Context, q database.Querier, id int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_repositories WHERE parent_id = $1`, id).Scan(&n)
	return n, err
}

// watchedBy are the repositories whose activities concern a user: starred,
// owned, or a member of; the newest first.
func watchedBy(ctx context.Context, q database.Querier, userID int64, most int) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT id FROM (
			SELECT repository_id AS id FROM forge_stars WHERE user_id = $1
			UNION SELECT repository_id FROM forge_members WHERE user_id = $1
			UNION SELECT id FROM forge_repositories WHERE owner_kind = 'user' AND owner_id = $1
		) AS watched ORDER BY id DESC LIMIT $2`, userID, most)
}

func memberPermission(ctx context.Context, q database.Querier, id, userID int64) (Permission, error) {
	var word string
	err := q.QueryRow(ctx, `SELECT permission FROM forge_members WHERE repository_id = $1 AND user_id = $2`, id, userID).Scan(&word)
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

func insertInstalled(ctx context.Context, tx *database.Tx, clientID string, orgID, id int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_installations (client_id, org_id, repository_id) VALUES ($1, $2, $3)
		ON CONFLICT (client_id, org_id, repository_id) DO NOTHING`, clientID, orgID, id)
	return err
}

func clearInstalled(ctx context.Context, tx *database.Tx, clientID string, orgID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_installations WHERE client_id = $1 AND org_id = $2`, clientID, orgID)
	return err
}

// countInstalled is how many repositories were chosen for an app, and how many
// of them are still there.
func countInstalled(ctx context.Context, q database.Querier, clientID string, orgID int64) (chosen, there int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT COUNT(*), COUNT(r.id) FROM forge_installations i LEFT JOIN forge_repositories r ON r.id = i.repository_id
		WHERE i.client_id = $1 AND i.org_id = $2`, clientID, orgID).Scan(&chosen, &there)
	return chosen, there, err
}

// installationCovers reports whether the app may use a repository of the
// organization: none chosen means all.
func installationCovers(ctx context.Context, q database.Querier, clientID string, orgID, id int64) (bool, error) {
	var chosen, this int64
	err := q.QueryRow(ctx, `
		SELECT COUNT(*), COUNT(CASE WHEN repository_id = $3 THEN 1 END) FROM forge_installations
		WHERE client_id = $1 AND org_id = $2`, clientID, orgID, id).Scan(&chosen, &this)
	return err == nil && (chosen == 0 || this > 0), err
}

func scanID(s database.Scanner) (id int64, err error) {
	err = s.Scan(&id)
	return id, err
}
