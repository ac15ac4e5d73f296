package build

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// InsertArtifact writes a file that a job kept, and notes at the job that it has one.
func InsertArtifact(ctx context.Context, tx *database.Tx, b *Build, a Artifact) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_artifacts (build_id, node, path, size, blob_key, expires_at, repo_id, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (build_id, node, path) DO UPDATE
		SET size = excluded.size, blob_key = excluded.blob_key, expires_at = excluded.expires_at`,
		b.ID, a.Node, a.Path, a.Size, a.Blob, database.Time(a.ExpiresAt), b.RepoID, b.OwnerID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, artifacts = $2 WHERE id = $1 AND artifacts = $3`,
		b.ID, true, false)
	return err
}

const selectArtifacts = `SELECT build_id, node, path, size, blob_key, expires_at
	FROM pipelines_artifacts WHERE build_id = $1 AND expires_at > $2`

func scanArtifact(s database.Scanner) (a Artifact, err error) {
	err = s.Scan(&a.BuildID, &a.Node, &a.Path, &a.Size, &a.Blob, database.ScanTime(&a.ExpiresAt))
	return a, err
}

// Artifacts lists the files of a job that have not expired.
func Artifacts(ctx context.Context, q database.Querier, buildID int64, now time.Time) ([]Artifact, error) {
	return database.All(ctx, q, scanArtifact, selectArtifacts+` ORDER BY node, path`, buildID, database.Time(now))
}

// ArtifactAt finds a file of a job by its path.
func ArtifactAt(
	ctx context.Context, q database.Querier, buildID int64, node int, path string, now time.Time,
) (Artifact, error) {
	return database.One(ctx, q, scanArtifact, selectArtifacts+` AND node = $3 AND path = $4`,
		buildID, database.Time(now), node, path)
}

// ArtifactBytesAt is where the bytes of an artifact are that another is about to replace; none when there is none.
func ArtifactBytesAt(ctx context.Context, q database.Querier, buildID int64, node int, path string) ([]string, error) {
	return database.All(ctx, q, func(s database.Scanner) (key string, err error) {
		err = s.Scan(&key)
		return key, err
	}, `SELECT blob_key FROM pipelines_artifacts WHERE build_id = $1 AND node = $2 AND path = $3`, buildID, node, path)
}
