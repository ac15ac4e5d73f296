package calendar

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// settingRow is a value that a user chose.
type settingRow struct {
	id, value string
	seq       int64
}

func settingsByUser(ctx context.Context, q database.Querier, user int64) ([]settingRow, error) {
	return database.All(ctx, q, func(s database.Scanner) (r settingRow, err error) {
		err = s.Scan(&r.id, &r.value, &r.seq)
		return r, err
	}, `SELECT id, value, seq FROM calendar_settings WHERE user_id = $1 ORDER BY id`, user)
}

func upsertSetting(ctx context.Context, tx *database.Tx, user int64, r settingRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_settings (user_id, id, value, seq) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, id) DO UPDATE SET value = excluded.value, seq = excluded.seq`, user, r.id, r.value, r.seq)
	return err
}
