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
