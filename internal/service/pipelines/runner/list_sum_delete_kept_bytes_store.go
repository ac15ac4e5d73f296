package runner

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// keptTables are those whose rows name bytes of a project.
func keptTables() []string {
	return []string{"pipelines_artifacts", "pipelines_caches", "pipelines_layers"}
}

// anOrphan is a deleted repository of which rows are left; database.ErrNotFound when there is none.
func anOrphan(ctx context.Context, q database.Querier, table string) (int64, error) {
	return database.One(ctx, q, scanInt, `SELECT t.repo_id FROM `+table+` t
		WHERE NOT EXISTS (SELECT 1 FROM pipelines_projects p WHERE p.repo_id = t.repo_id) LIMIT 1`)
}

// owned are the rows of a table, one of keptTables, that belong to a project or to a job.
type owned struct {
	table, column string
	id            int64
}

// listKept lists where some of the bytes of an owner are.
func listKept(ctx context.Context, q database.Querier, o owned, limit int) ([]string, error) {
	return database.All(ctx, q, scanText,
		`SELECT blob_key FROM `+o.table+` WHERE `+o.column+` = $1 LIMIT $2`, o.id, limit)
}

// deleteKept deletes rows whose bytes are gone.
func deleteKept(ctx context.Context, tx *database.Tx, o owned, keys []string) error {
	list, args := database.In(2, keys)
	_, err := tx.Exec(ctx, `DELETE FROM `+o.table+` WHERE `+o.column+` = $1 AND blob_key IN `+list,
		append([]any{o.id}, args...)...)
	return err
}

// artifactBytes is the size of all living artifacts of a project.
func artifactBytes(ctx context.Context, q database.Querier, repoID int64, now time.Time) (int64, error) {
	return database.One(ctx, q, scanInt, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_artifacts WHERE repo_id = $1 AND expires_at > $2`,
		repoID, database.Time(now))
}

// ownerBytes is the size of all artifacts, caches and layers that jobs of an owner keep.
func ownerBytes(ctx context.Context, q database.Querier, owner int64, now time.Time) (int64, error) {
	return database.One(ctx, q, scanInt, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (
			SELECT size FROM pipelines_artifacts WHERE owner_id = $1 AND expires_at > $2
			UNION ALL SELECT size FROM pipelines_caches WHERE owner_id = $1 AND expires_at > $2
			UNION ALL SELECT size FROM pipelines_layers WHERE owner_id = $1 AND expires_at > $2) AS kept`,
		owner, database.Time(now))
}

// deleteExpired forgets caches and layers whose bytes have expired.
func deleteExpired(ctx context.Context, tx *database.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE expires_at <= $1`, database.Time(now))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM pipelines_layers WHERE expires_at <= $1`, database.Time(now))
	return err
}
