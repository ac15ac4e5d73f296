package analytics

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// retryByKey finds what a key made after a time.
func retryByKey(
	ctx context.Context, q database.Querier, owner int64, key string, after time.Time,
) (project int64, fingerprint string, err error) {
	err = q.QueryRow(ctx, `SELECT project_id, fingerprint FROM analytics_retries
		WHERE owner_id = $1 AND key = $2 AND created_at > $3`, owner, key, database.Time(after)).
		Scan(&project, &fingerprint)
	return project, fingerprint, err
}

// upsertRetry takes the place of what the key made before, which the caller has found too old.
func upsertRetry(ctx context.Context, q database.Querier, p Project, key, fingerprint string) error {
	_, err := q.Exec(ctx, `INSERT INTO analytics_retries (owner_id, key, fingerprint, project_id, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, project_id = excluded.project_id, created_at = excluded.created_at`,
		p.OwnerID, key, fingerprint, p.ID, database.Time(p.CreatedAt))
	return err
}

func countRetries(ctx context.Context, q database.Querier, owner int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM analytics_retries WHERE owner_id = $1`, owner).Scan(&n)
	return n, err
}

// deleteRetriesOfDeleted forgets the oldest keys whose projects are gone.
func deleteRetriesOfDeleted(ctx context.Context, q database.Querier, owner, limit int64) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_retries WHERE owner_id = $1 AND key IN (
		SELECT r.key FROM analytics_retries r WHERE r.owner_id = $1 AND NOT EXISTS (
		SELECT 1 FROM analytics_projects p WHERE p.id = r.project_id)
		ORDER BY r.created_at, r.key LIMIT $2)`, owner, limit)
	return err
}

// deleteRetries forgets the keys that are not after a time.
func deleteRetries(ctx context.Context, q database.Querier, until time.Time) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_retries WHERE created_at <= $1`, database.Time(until))
	return err
}
