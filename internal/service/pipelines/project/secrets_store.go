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

const selectKeys = `SELECT id, repo_id, kind, hostname, login, public_key, md5, sha256, preferred, sealed, created_at
	FROM pipelines_keys WHERE repo_id = $1`

func scanKey(s database.Scanner) (k Key, err error) {
	err = s.Scan(&k.ID, &k.RepoID, &k.Kind, &k.Hostname, &k.Login, &k.PublicKey, &k.MD5, &k.SHA256, &k.Preferred,
		&k.sealed, database.ScanTime(&k.CreatedAt))
	return k, err
}

// insertKey writes a key pair; a preferred one takes the place of others.
func insertKey(ctx context.Context, tx *database.Tx, k Key) error {
	if k.Preferred {
		_, err := tx.Exec(ctx, `UPDATE pipelines_keys SET preferred = $2 WHERE repo_id = $1 AND kind <> 'ssh'`,
			k.RepoID, false)
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_keys
			(repo_id, kind, hostname, login, public_key, md5, sha256, preferred, sealed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		k.RepoID, string(k.Kind), k.Hostname, k.Login, k.PublicKey, k.MD5, k.SHA256, k.Preferred, k.sealed,
		database.Time(k.CreatedAt))
	return err
}

func checkoutKeys(ctx context.Context, q database.Querier, repoID int64) ([]Key, error) {
	return database.All(ctx, q, scanKey, selectKeys+` AND kind <> 'ssh' ORDER BY id`, repoID)
}

func hostKeys(ctx context.Context, q database.Querier, repoID int64) ([]Key, error) {
	return database.All(ctx, q, scanKey, selectKeys+` AND kind = 'ssh' ORDER BY id`, repoID)
}

func deleteKey(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_keys WHERE id = $1`, id)
	return err
}

// preferOldest makes the oldest checkout key the preferred one if none is.
func preferOldest(ctx context.Context, tx *database.Tx, repoID int64) error {
	_, err := tx.Exec(ctx, `
		UPDATE pipelines_keys SET preferred = $2
		WHERE id = (SELECT MIN(id) FROM pipelines_keys WHERE repo_id = $1 AND kind <> 'ssh')
		AND NOT EXISTS (SELECT 1 FROM pipelines_keys WHERE repo_id = $1 AND kind <> 'ssh' AND preferred = $2)`,
		repoID, true)
	return err
}

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
