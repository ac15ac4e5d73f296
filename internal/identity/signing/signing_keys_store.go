package signing

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

func storedKeys(ctx context.Context, q database.Querier) ([]storedKey, error) {
	return database.All(ctx, q, func(s database.Scanner) (k storedKey, err error) {
		err = s.Scan(&k.id, &k.sealed, database.ScanTime(&k.createdAt))
		return k, err
	}, `SELECT id, sealed, created_at FROM identity_signing_keys ORDER BY created_at DESC, id`)
}

func insertKey(ctx context.Context, q database.Querier, k storedKey) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_signing_keys (id, sealed, created_at) VALUES ($1, $2, $3)`,
		k.id, k.sealed, database.Time(k.createdAt))
	return err
}

func deleteKey(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_signing_keys WHERE id = $1`, id)
	return err
}
