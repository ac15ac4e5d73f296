package forge

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// duePushes are the oldest records of a repository, up to the one with the number last.
type duePushes struct {
	rows int
	last int64
}

// oldPushes are those of the oldest limit records of a repository that are not among its newest kept, or are from
// before a moment. A row may have megabytes of commits, so no more rows are read than one transaction deletes.
func oldPushes(
	ctx context.Context, q database.Querier, repositoryID int64, kept int, before time.Time, limit int,
) (due duePushes, err error) {
	type push struct {
		id  int64
		due bool
	}
	list, err := database.All(ctx, q, func(s database.Scanner) (p push, err error) {
		err = s.Scan(&p.id, &p.due)
		return p, err
	}, `SELECT id, pushed_at < $3 OR id <= COALESCE((
			SELECT n.id FROM forge_pushes n WHERE n.repository_id = $1 ORDER BY n.id DESC LIMIT 1 OFFSET $2), 0)
		FROM forge_pushes WHERE repository_id = $1 ORDER BY id LIMIT $4`,
		repositoryID, kept, database.Time(before), limit)
	for _, p := range list {
		if !p.due {
			break
		}
		due = duePushes{due.rows + 1, p.id}
	}
	return due, err
}

// forgetPushes deletes the records of a repository up to a number, and adds to how many there were of each actor. What
// is counted is what is deleted: two that forget the same wait for each other in the lane of the repository.
func forgetPushes(ctx context.Context, tx *database.Tx, repositoryID, last int64) error {
	if _, err := tx.Exec(ctx, `
		INSERT INTO forge_forgotten_pushes (repository_id, actor_id, pushes)
		SELECT repository_id, actor_id, COUNT(*) FROM forge_pushes WHERE repository_id = $1 AND id <= $2
		GROUP BY repository_id, actor_id
		ON CONFLICT (repository_id, actor_id) DO UPDATE SET pushes = forge_forgotten_pushes.pushes + excluded.pushes`,
		repositoryID, last); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM forge_pushes WHERE repository_id = $1 AND id <= $2`, repositoryID, last)
	return err
}
