package project

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// variable is an environment variable with its sealed value.
type variable struct {
	name   string
	sealed []byte
}

func scanVariable(s database.Scanner) (v variable, err error) {
	err = s.Scan(&v.name, &v.sealed)
	return v, err
}

func upsertVariable(ctx context.Context, tx *database.Tx, repoID int64, v variable, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_envvars (repo_id, name, sealed, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (repo_id, name) DO UPDATE SET sealed = excluded.sealed`,
		repoID, v.name, v.sealed, database.Time(now))
	return err
}

func listVariables(ctx context.Context, q database.Querier, repoID int64) ([]variable, error) {
	return database.All(ctx, q, scanVariable,
		`SELECT name, sealed FROM pipelines_envvars WHERE repo_id = $1 ORDER BY name`, repoID)
}

func variableByName(ctx context.Context, q database.Querier, repoID int64, name string) (variable, error) {
	return database.One(ctx, q, scanVariable,
		`SELECT name, sealed FROM pipelines_envvars WHERE repo_id = $1 AND name = $2`, repoID, name)
}

func deleteVariable(ctx context.Context, tx *database.Tx, repoID int64, name string) (bool, error) {
	result, err := tx.Exec(ctx, `DELETE FROM pipelines_envvars WHERE repo_id = $1 AND name = $2`, repoID, name)
	return result.RowsAffected > 0, err
}
