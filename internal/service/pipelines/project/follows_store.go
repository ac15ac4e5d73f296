package project

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func scanID(s database.Scanner) (id int64, err error) {
	err = s.Scan(&id)
	return id, err
}

// setFollow records what a user has said.
func setFollow(ctx context.Context, tx *database.Tx, userID, repoID int64, following bool, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_follows (user_id, repo_id, following, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, repo_id) DO UPDATE SET following = excluded.following`,
		userID, repoID, following, database.Time(now))
	return err
}

// AutoFollow makes a user follow a project who has not said otherwise.
func AutoFollow(ctx context.Context, tx *database.Tx, userID, repoID int64, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_follows (user_id, repo_id, following, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, repo_id) DO NOTHING`, userID, repoID, true, database.Time(now))
	return err
}

// maxFollowed is how many repositories are listed that a user follows.
const maxFollowed = 1000

// listFollowed lists the repositories that a user follows, oldest first; of many those that the user has followed
// last.
func listFollowed(ctx context.Context, q database.Querier, userID int64) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT repo_id FROM (
			SELECT repo_id, created_at FROM pipelines_follows WHERE user_id = $1 AND following = $2
			ORDER BY created_at DESC, repo_id DESC LIMIT $3) AS newest
		ORDER BY created_at, repo_id`, userID, true, maxFollowed)
}

func isFollowed(ctx context.Context, q database.Querier, userID, repoID int64) (bool, error) {
	n, err := database.One(ctx, q, scanID, `
		SELECT COUNT(*) FROM pipelines_follows WHERE user_id = $1 AND repo_id = $2 AND following = $3`,
		userID, repoID, true)
	return n > 0, err
}

func listFollowers(ctx context.Context, q database.Querier, repoID int64) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT user_id FROM pipelines_follows WHERE repo_id = $1 AND following = $2
		ORDER BY created_at, user_id`, repoID, true)
}
