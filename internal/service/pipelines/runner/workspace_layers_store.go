package runner

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// insertLayer writes a layer of the workspace of a job.
func insertLayer(
	ctx context.Context, tx *database.Tx, b *build.Build, blob string, size int64, expires time.Time,
) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_layers (workspace_id, build_id, repo_id, size, blob_key, expires_at, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		b.Workflow.WorkspaceID, b.ID, b.RepoID, size, blob, database.Time(expires), b.OwnerID)
	return err
}

// listLayers lists where the bytes of a workspace's layers are, oldest first.
func listLayers(ctx context.Context, q database.Querier, workspace string, now time.Time) ([]string, error) {
	return database.All(ctx, q, scanText,
		`SELECT blob_key FROM pipelines_layers WHERE workspace_id = $1 AND expires_at > $2 ORDER BY id`,
		workspace, database.Time(now))
}

// layerBytes is the size of all living layers of a project.
func layerBytes(ctx context.Context, q database.Querier, repoID int64, now time.Time) (int64, error) {
	return database.One(ctx, q, scanInt, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_layers WHERE repo_id = $1 AND expires_at > $2`,
		repoID, database.Time(now))
}
