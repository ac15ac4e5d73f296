package analytics

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func retryByKey(
	ctx context.Context, q database.Querier, owner int64, key string,
) (project int64, fingerprint string, err error) {
	err = q.QueryRow(ctx, `SELECT project_id, fingerprint FROM analytics_retries
		WHERE owner_id = $1 AND key = $2`, owner, key).
		Scan(&project, &fingerprint)
	return project, fingerprint, err
}

func insertRetry(ctx context.Context, q database.Querier, p Project, key, fingerprint string) error {
	_, err := q.Exec(ctx, `INSERT INTO analytics_retries (owner_id, key, fingerprint, project_id, created_at)
		VALUES ($1, $2, $3, $4, $5)`,
		p.OwnerID, key, fingerprint, p.ID, database.Time(p.CreatedAt))
	return err
}

func deleteRetriesBefore(ctx context.Context, q database.Querier, before time.Time) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_retries WHERE created_at < $1`, database.Time(before))
	return err
}
