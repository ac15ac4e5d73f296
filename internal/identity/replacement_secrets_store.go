package identity

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// keptReplacement is a row of the table.
type keptReplacement struct {
	request, sealed []byte
	expiresAt       time.Time
}

func insertReplacement(ctx context.Context, q database.Querier, r Replacement, request, sealed []byte) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_replacements (credential_id, request, sealed, expires_at)
		VALUES ($1, $2, $3, $4)`, r.TokenID, request, sealed, database.Time(r.ExpiresAt))
	return err
}

func replacementOf(ctx context.Context, q database.Querier, tokenID int64) (keptReplacement, error) {
	return database.One(ctx, q, func(s database.Scanner) (k keptReplacement, err error) {
		err = s.Scan(&k.request, &k.sealed, database.ScanTime(&k.expiresAt))
		return k, err
	}, `SELECT request, sealed, expires_at FROM identity_replacements WHERE credential_id = $1`, tokenID)
}

func deleteExpiredReplacements(ctx context.Context, q database.Querier, before time.Time, limit int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_replacements WHERE credential_id IN
		(SELECT credential_id FROM identity_replacements WHERE expires_at < $1 LIMIT $2)`, database.Time(before), limit)
	return r.RowsAffected, err
}
