package settings

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// lastSeq is how often a user's settings changed; nextSeq counts one more change and
// holds the user's row until the commit.
func lastSeq(ctx context.Context, q database.Querier, user int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT settings_seq FROM calendar_people WHERE user_id = $1`, user)
}

func nextSeq(ctx context.Context, tx *database.Tx, user int64) (int64, error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET settings_seq = settings_seq + 1 WHERE user_id = $1 RETURNING settings_seq`, user)
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// row is a value that a user chose.
type row struct {
	id, value string
	seq       int64
}

func rowsByUser(ctx context.Context, q database.Querier, user int64) ([]row, error) {
	return database.All(ctx, q, func(s database.Scanner) (r row, err error) {
		err = s.Scan(&r.id, &r.value, &r.seq)
		return r, err
	}, `SELECT id, value, seq FROM calendar_settings WHERE user_id = $1 ORDER BY id`, user)
}

func upsertRow(ctx context.Context, tx *database.Tx, user int64, r row) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_settings (user_id, id, value, seq) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, id) DO UPDATE SET value = excluded.value, seq = excluded.seq`, user, r.id, r.value, r.seq)
	return err
}
