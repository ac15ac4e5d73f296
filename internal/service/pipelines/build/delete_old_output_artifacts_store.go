package build

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// requestLife is how long a request for jobs is remembered, far longer than the queue tries it.
const requestLife = 30 * 24 * time.Hour

// DeleteExpired forgets artifacts whose bytes have expired, and requests that are not repeated any more.
func DeleteExpired(ctx context.Context, tx *database.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_artifacts WHERE expires_at <= $1`, database.Time(now))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM pipelines_wishes WHERE created_at < $1`, database.Time(now.Add(-requestLife)))
	return err
}

// DeleteOldOutput forgets what jobs printed that ended before a moment, of so many jobs, and returns of how many.
func DeleteOldOutput(ctx context.Context, tx *database.Tx, before time.Time, limit int) (int, error) {
	ids, err := database.All(ctx, tx, scanInt, `
		SELECT DISTINCT o.build_id FROM pipelines_output o JOIN pipelines_builds b ON b.id = o.build_id
		WHERE b.stop_time < $1 LIMIT $2`, database.Time(before), limit)
	for _, id := range ids {
		if err := deleteOutput(ctx, tx, id); err != nil {
			return 0, err
		}
	}
	return len(ids), err
}

// deleteOutput forgets what a job printed, and what that counted for its project.
func deleteOutput(ctx context.Context, tx *database.Tx, buildID int64) error {
	return execAll(ctx, tx, buildID,
		`UPDATE pipelines_projects SET output_bytes = output_bytes - (
			SELECT CAST(COALESCE(SUM(LENGTH(packed)), 0) AS BIGINT) FROM pipelines_output WHERE build_id = $1)
		WHERE repo_id = (SELECT repo_id FROM pipelines_builds WHERE id = $1)`,
		`DELETE FROM pipelines_output WHERE build_id = $1`)
}

func execAll(ctx context.Context, tx *database.Tx, id int64, texts ...string) error {
	for _, text := range texts {
		if _, err := tx.Exec(ctx, text, id); err != nil {
			return err
		}
	}
	return nil
}
