package calendar

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

func scanUser(s database.Scanner) (u user, err error) {
	err = s.Scan(&u.id, &u.address, &u.name, &u.listSeq)
	return u, err
}

func userByID(ctx context.Context, q database.Querier, id int64) (user, error) {
	return database.One(ctx, q, scanUser, `SELECT user_id, address, name, list_seq FROM calendar_people
		WHERE user_id = $1`, id)
}

func userByAddress(ctx context.Context, q database.Querier, address string) (user, error) {
	return database.One(ctx, q, scanUser, `SELECT user_id, address, name, list_seq FROM calendar_people
		WHERE address = $1`, address)
}

// insertUser reports whether the address was free.
func insertUser(ctx context.Context, tx *database.Tx, u user) (bool, error) {
	result, err := tx.Exec(ctx, `
		INSERT INTO calendar_people (user_id, address, name, list_seq, settings_seq,
			entry_count, channel_count, unended_count)
		VALUES ($1, $2, $3, 0, 0, 0, 0, 0)
		ON CONFLICT DO NOTHING`, u.id, u.address, u.name)
	return result.RowsAffected == 1, err
}

// countEntries adds to the number of entries of a user's list and gives the new
// one.
func countEntries(ctx context.Context, tx *database.Tx, user, add int64) (now int64, err error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET entry_count = entry_count + $2 WHERE user_id = $1 RETURNING entry_count`, user, add)
}

// listSeq and settingsSeq are how often a user's own collections changed;
// the next functions count one more change and hold its row until the commit.
func listSeq(ctx context.Context, q database.Querier, user int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT list_seq FROM calendar_people WHERE user_id = $1`, user)
}

func nextListSeq(ctx context.Context, tx *database.Tx, user int64) (int64, error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET list_seq = list_seq + 1 WHERE user_id = $1 RETURNING list_seq`, user)
}

func settingsSeq(ctx context.Context, q database.Querier, user int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT settings_seq FROM calendar_people WHERE user_id = $1`, user)
}

func nextSettingsSeq(ctx context.Context, tx *database.Tx, user int64) (int64, error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET settings_seq = settings_seq + 1 WHERE user_id = $1 RETURNING settings_seq`, user)
}

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
