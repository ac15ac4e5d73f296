package kms

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// publishLock is held while the list of keys changes.
const publishLock = "kms:publishing"

// listKeys lists every key in the order of publication.
func listKeys(ctx context.Context, q database.Querier) ([]Key, error) {
	return database.All(ctx, q, scanKey, `
		SELECT id, seq, provider, version, stamp, material, created_at, destroyed_at
		FROM kms_keys ORDER BY seq, id`)
}

// lastKey is the newest published key; ok is false when no key is published.
func lastKey(ctx context.Context, q database.Querier) (k Key, ok bool, err error) {
	k, err = database.One(ctx, q, scanKey, `
		SELECT id, seq, provider, version, stamp, material, created_at, destroyed_at
		FROM kms_keys WHERE seq > 0 ORDER BY seq DESC LIMIT 1`)
	if errors.Is(err, database.ErrNotFound) {
		return Key{}, false, nil
	}
	return k, err == nil, err
}

func scanKey(s database.Scanner) (k Key, err error) {
	err = s.Scan(&k.ID, &k.Seq, &k.Provider, &k.Version, &k.Stamp, &k.Material,
		database.ScanTime(&k.CreatedAt), database.ScanNullTime(&k.DestroyedAt))
	return k, err
}

// insertKey fails with ErrUnique when the id was ever used.
func insertKey(ctx context.Context, tx *database.Tx, k Key) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO kms_keys (id, seq, provider, version, stamp, material, created_at, destroyed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.ID, k.Seq, k.Provider, k.Version, k.Stamp, k.Material,
		database.Time(k.CreatedAt), database.NullTime(k.DestroyedAt))
	return err
}

// destroyKey removes the material of a key that is not destroyed yet.
func destroyKey(ctx context.Context, tx *database.Tx, id string, at time.Time) (changed bool, err error) {
	result, err := tx.Exec(ctx, `
		UPDATE kms_keys SET material = NULL, destroyed_at = $2 WHERE id = $1 AND destroyed_at IS NULL`,
		id, database.Time(at))
	return result.RowsAffected > 0, err
}
