package project

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

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
