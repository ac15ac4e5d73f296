package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// importedSoFar is how many entries of a file are stored already.
func importedSoFar(ctx context.Context, q database.Querier, file []byte) (done int64, err error) {
	err = q.QueryRow(ctx, `SELECT done FROM packages_import WHERE file = $1`, file).Scan(&done)
	_, err = none(err)
	return done, err
}

func putImported(ctx context.Context, q database.Querier, file []byte, done, total int64) error {
	_, err := q.Exec(ctx, `
		INSERT INTO packages_import (file, done, total) VALUES ($1, $2, $3)
		ON CONFLICT (file) DO UPDATE SET done = excluded.done, total = excluded.total`, file, done, total)
	return err
}

func dropImported(ctx context.Context, q database.Querier, file []byte) error {
	_, err := q.Exec(ctx, `DELETE FROM packages_import WHERE file = $1`, file)
	return err
}
