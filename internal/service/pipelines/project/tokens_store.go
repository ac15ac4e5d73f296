package project

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

func insertToken(ctx context.Context, tx *database.Tx, repoID int64, t Token) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_tokens (token_id, repo_id, label, scope, tail, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, t.ID, repoID, t.Label, t.Scope, t.Tail, database.Time(t.CreatedAt))
	return err
}

func listTokens(ctx context.Context, q database.Querier, repoID int64) ([]Token, error) {
	return database.All(ctx, q, func(s database.Scanner) (t Token, err error) {
		err = s.Scan(&t.ID, &t.Label, &t.Scope, &t.Tail, database.ScanTime(&t.CreatedAt))
		return t, err
	}, `SELECT token_id, label, scope, tail, created_at FROM pipelines_tokens WHERE repo_id = $1 ORDER BY token_id`,
		repoID)
}

// repoOfToken is the repository that a token was issued for, zero for a token of another issuer.
func repoOfToken(ctx context.Context, q database.Querier, tokenID int64) (int64, error) {
	list, err := database.All(ctx, q, scanID, `SELECT repo_id FROM pipelines_tokens WHERE token_id = $1`, tokenID)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}

func deleteToken(ctx context.Context, tx *database.Tx, repoID, id int64) (bool, error) {
	result, err := tx.Exec(ctx, `DELETE FROM pipelines_tokens WHERE repo_id = $1 AND token_id = $2`, repoID, id)
	return result.RowsAffected > 0, err
}
