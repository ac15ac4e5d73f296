package runner

import (
	"context"

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

// listKept lists where some of the bytes of a project are.
func listKept(ctx context.Context, q database.Querier, table string, repoID int64, limit int) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT blob_key FROM `+table+` WHERE repo_id = $1 LIMIT $2`, repoID, limit)
}

// deleteKept deletes rows whose bytes are gone.
func deleteKept(ctx context.Context, tx *database.Tx, table string, repoID int64, keys []string) error {
	list, args := database.In(2, keys)
	_, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE repo_id = $1 AND blob_key IN `+list,
		append([]any{repoID}, args...)...)
	return err
}
