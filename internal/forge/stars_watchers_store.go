package forge

import (
	"context"
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

func hasStar(ctx context.Context, q database.Querier, id, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_stars WHERE repository_id = $1 AND user_id = $2`,
		id, userID).Scan(&n)
	return n > 0, err
}

func starsOf(ctx context.Context, q database.Querier, id int64, limit int, offset int64) ([]Star, error) {
	scan := func(s database.Scanner) (star Star, err error) {
		err = s.Scan(&star.UserID, database.ScanTime(&star.At))
		return star, err
	}
	return database.All(ctx, q, scan, `SELECT user_id, starred_at FROM forge_stars WHERE repository_id = $1
		ORDER BY starred_at, user_id LIMIT $2 OFFSET $3`, id, limit, offset)
}

func subscribersOf(ctx context.Context, q database.Querier, id int64, limit int, offset int64) ([]int64, error) {
	return database.All(ctx, q, scanID, `SELECT user_id FROM (`+subscribers+`) AS s WHERE repository_id = $1
		ORDER BY user_id LIMIT $2 OFFSET $3`, id, limit, offset)
}

func countForks(ctx context.Context, q database.Querier, id int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_repositories WHERE parent_id = $1`, id).Scan(&n)
	return n, err
}

// watchedBy are the repositories whose activities concern a user: starred,
// owned, or a member of; the newest first.
func watchedBy(ctx context.Context, q database.Querier, userID int64, limit int) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT id FROM (
			SELECT repository_id AS id FROM forge_stars WHERE user_id = $1
			UNION SELECT repository_id FROM forge_members WHERE user_id = $1
			UNION SELECT id FROM forge_repositories WHERE owner_kind = 'user' AND owner_id = $1
		) AS watched ORDER BY id DESC LIMIT $2`, userID, limit)
}

func scanID(s database.Scanner) (id int64, err error) {
	err = s.Scan(&id)
	return id, err
}
