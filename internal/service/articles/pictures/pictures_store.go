package pictures

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func usedBytes(ctx context.Context, q database.Querier, user, month int64) (int64, error) {
	used, err := database.One(ctx, q, func(s database.Scanner) (n int64, err error) {
		err = s.Scan(&n)
		return n, err
	}, `SELECT bytes FROM articles_picture_months WHERE user_id = $1 AND month = $2`, user, month)
	if errors.Is(err, database.ErrNotFound) {
		return 0, nil
	}
	return used, err
}

// addBytes counts an upload and reports whether it fits into the month. One statement
// compares and adds, so that no two uploads take the same bytes.
func addBytes(ctx context.Context, q database.Querier, user, month, bytes, limit int64) (fits bool, err error) {
	if bytes > limit {
		return false, nil
	}
	r, err := q.Exec(ctx, `INSERT INTO articles_picture_months AS m (user_id, month, bytes) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, month) DO UPDATE SET bytes = m.bytes + excluded.bytes
		WHERE m.bytes + excluded.bytes <= $4`, user, month, bytes, limit)
	return r.RowsAffected > 0, err
}

func insertPicture(ctx context.Context, q database.Querier, p Picture, user int64, at time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO articles_pictures (id, user_id, month, bytes, deleted, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, p.ID, user, month(at), p.Bytes, false, database.Time(at))
	return err
}

// markDeleted reports whether the user has the picture.
func markDeleted(ctx context.Context, db *database.DB, id string, user int64) (done bool, err error) {
	err = db.WriteKeyed(ctx, "articles/picture/"+id, func(ctx context.Context, tx *database.Tx) error {
		result, err := tx.Exec(ctx, `UPDATE articles_pictures SET deleted = $1
			WHERE id = $2 AND user_id = $3`, true, id, user)
		done = result.RowsAffected > 0
		return err
	})
	return done, err
}

// stored are those of the ids that are pictures here.
func stored(ctx context.Context, q database.Querier, ids []string) ([]string, error) {
	in, args := database.In(1, ids)
	return database.All(ctx, q, func(row database.Scanner) (id string, err error) {
		err = row.Scan(&id)
		return id, err
	}, `SELECT id FROM articles_pictures WHERE NOT deleted AND id IN `+in, args...)
}
