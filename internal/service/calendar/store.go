package calendar

import (
	"context"
	"embed"
	"encoding/json"

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
		INSERT INTO calendar_people (user_id, address, name, list_seq, settings_seq) VALUES ($1, $2, $3, 0, 0)
		ON CONFLICT DO NOTHING`, p.id, p.address, p.name)
	return result.RowsAffected == 1, err
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
