package discussions

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

func reviewID(v *Review) *int64 { return &v.ID }

func insertReview(ctx context.Context, tx *database.Tx, v *Review) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	v.ID, err = singlerow.Insert(ctx, tx, "id", `INSERT INTO events_reviews (repo_id, number, data) VALUES ($1, $2, $3)`,
		v.RepoID, v.Number, string(data))
	return err
}

func updateReview(ctx context.Context, tx *database.Tx, v Review) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE events_reviews SET data = $2 WHERE id = $1`, v.ID, string(data))
	return err
}

func reviewByID(ctx context.Context, q database.Querier, repoID, number, id int64) (Review, error) {
	return database.One(ctx, q, scanDocument(reviewID),
		`SELECT id, data FROM events_reviews WHERE repo_id = $1 AND number = $2 AND id = $3`, repoID, number, id)
}

// reviewPlace is the repository and the pull request that a review is of.
func reviewPlace(ctx context.Context, q database.Querier, id int64) (repoID, number int64, err error) {
	err = q.QueryRow(ctx, `SELECT repo_id, number FROM events_reviews WHERE id = $1`, id).Scan(&repoID, &number)
	return repoID, number, err
}

func listReviews(
	ctx context.Context, q database.Querier, repoID, number int64, size int, offset int64,
) (list []Review, total int64, err error) {
	const where = ` FROM events_reviews WHERE repo_id = $1 AND number = $2`
	if total, err = count(ctx, q, `SELECT COUNT(*)`+where, repoID, number); err != nil {
		return nil, 0, err
	}
	list, err = database.All(ctx, q, scanDocument(reviewID), `SELECT id, data`+where+` ORDER BY id LIMIT $3 OFFSET $4`,
		repoID, number, size, offset)
	return list, total, err
}
