package project

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Row is what is stored of a project.
type Row struct {
	RepoID int64
	// LastNum is the number of the newest job.
	LastNum  int64
	Enabled  bool
	settings string
	// webhooks are sealed.
	webhooks []byte
}

func scanRow(s database.Scanner) (r Row, err error) {
	err = s.Scan(&r.RepoID, &r.LastNum, &r.Enabled, &r.settings, &r.webhooks)
	return r, err
}

// ByID finds the row of a repository.
func ByID(ctx context.Context, q database.Querier, repoID int64) (Row, error) {
	return database.One(ctx, q, scanRow,
		`SELECT repo_id, last_num, enabled, settings, webhooks FROM pipelines_projects WHERE repo_id = $1`, repoID)
}

// Ensure finds the row of a repository and makes it if it is missing.
func Ensure(ctx context.Context, tx *database.Tx, repoID int64, now time.Time) (Row, error) {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_projects (repo_id, last_num, enabled, settings, created_at)
		VALUES ($1, 0, $2, '{}', $3) ON CONFLICT (repo_id) DO NOTHING`, repoID, true, database.Time(now))
	if err != nil {
		return Row{}, err
	}
	return ByID(ctx, tx, repoID)
}

func updateRow(ctx context.Context, tx *database.Tx, r Row) error {
	_, err := tx.Exec(ctx,
		`UPDATE pipelines_projects SET enabled = $2, settings = $3, webhooks = $4 WHERE repo_id = $1`,
		r.RepoID, r.Enabled, r.settings, r.webhooks)
	return err
}

// deleteRows forgets a repository. Its jobs stay until the sweep, out of reach, because what runs still has to end.
func deleteRows(ctx context.Context, tx *database.Tx, repoID int64) error {
	for _, text := range []string{
		`DELETE FROM pipelines_projects WHERE repo_id = $1`,
		`DELETE FROM pipelines_envvars WHERE repo_id = $1`, `DELETE FROM pipelines_keys WHERE repo_id = $1`,
		`DELETE FROM pipelines_follows WHERE repo_id = $1`, `DELETE FROM pipelines_tokens WHERE repo_id = $1`,
		`DELETE FROM pipelines_wishes WHERE repo_id = $1`, `DELETE FROM pipelines_schedules WHERE repo_id = $1`,
		`DELETE FROM pipelines_late_pushes WHERE repo_id = $1`,
	} {
		if _, err := tx.Exec(ctx, text, repoID); err != nil {
			return err
		}
	}
	return nil
}
