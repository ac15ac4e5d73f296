package calendar

import (
	"context"
	"embed"
	"encoding/json"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

// stored encodes what is kept as a document. The shapes hold nothing that
// JSON cannot; if one ever did, the column refuses the missing document.
func stored(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

func scanPerson(s database.Scanner) (p person, err error) {
	err = s.Scan(&p.id, &p.address, &p.name, &p.listSeq)
	return p, err
}

func personByID(ctx context.Context, q database.Querier, id int64) (person, error) {
	return database.One(ctx, q, scanPerson, `SELECT user_id, address, name, list_seq FROM calendar_people WHERE user_id = $1`, id)
}

func personByAddress(ctx context.Context, q database.Querier, address string) (person, error) {
	return database.One(ctx, q, scanPerson, `SELECT user_id, address, name, list_seq FROM calendar_people WHERE address = $1`, address)
}

// insertPerson reports whether the address was free.
func insertPerson(ctx context.Context, tx *database.Tx, p person) (bool, error) {
	result, err := tx.Exec(ctx, `
		INSERT INTO calendar_people (user_id, address, name, list_seq, settings_seq, entry_count, channel_count, unended_count)
		VALUES ($1, $2, $3, 0, 0, 0, 0, 0)
		ON CONFLICT DO NOTHING`, p.id, p.address, p.name)
	return result.RowsAffected == 1, err
}

// rowCount is how many rows of a user there are, or how many more.
type rowCount struct{ entries, channels, unended int64 }

// addRows counts rows of a user and gives the new numbers.
func addRows(ctx context.Context, tx *database.Tx, user int64, add rowCount) (now rowCount, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE calendar_people SET entry_count = entry_count + $2, channel_count = channel_count + $3,
			unended_count = unended_count + $4
		WHERE user_id = $1 RETURNING entry_count, channel_count, unended_count`,
		user, add.entries, add.channels, add.unended).Scan(&now.entries, &now.channels, &now.unended)
	return now, err
}

// addAllRows is addRows for many users, in one order for all transactions, so
// that none waits for another in a circle.
func addAllRows(ctx context.Context, tx *database.Tx, add map[int64]rowCount) error {
	for _, user := range slices.Sorted(maps.Keys(add)) {
		if _, err := addRows(ctx, tx, user, add[user]); err != nil {
			return err
		}
	}
	return nil
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// listSeq and settingsSeq are how often a person's own collections changed;
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
