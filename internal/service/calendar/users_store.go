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
