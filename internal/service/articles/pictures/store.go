package pictures

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func usedBytes(ctx context.Context, q database.Querier, user, month int64) (int64, error) {
	return database.One(ctx, q, func(s database.Scanner) (n int64, err error) {
		err = s.Scan(&n)
		return n, err
	}, `SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM articles_pictures WHERE user_id = $1 AND month = $2`,
		user, month)
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
