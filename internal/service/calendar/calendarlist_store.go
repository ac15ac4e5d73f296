package calendar

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const entryColumns = `user_id, calendar_id, doc, deleted, seq, updated`

func scanEntry(s database.Scanner) (e entryRow, err error) {
	var doc []byte
	err = s.Scan(&e.userID, &e.calendar, &doc, &e.deleted, &e.seq, database.ScanTime(&e.updated))
	if err == nil {
		err = json.Unmarshal(doc, &e.doc)
	}
	return e, err
}

func entryByID(ctx context.Context, q database.Querier, user int64, calendar string) (entryRow, error) {
	e, err := database.One(ctx, q, scanEntry, `
		SELECT `+entryColumns+` FROM calendar_entries WHERE user_id = $1 AND calendar_id = $2`, user, calendar)
	return e, orNotFound(err)
}

func entriesAfter(ctx context.Context, q database.Querier, user, seq int64, deleted bool, most int) ([]entryRow, error) {
	return database.All(ctx, q, scanEntry, `
		SELECT `+entryColumns+` FROM calendar_entries
		WHERE user_id = $1 AND seq > $2 AND ($3 OR NOT deleted) ORDER BY seq LIMIT $4`, user, seq, deleted, most)
}

// entryHolders are the people who have a calendar on their list.
func entryHolders(ctx context.Context, q database.Querier, calendar string) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `
		SELECT user_id FROM calendar_entries WHERE calendar_id = $1 AND NOT deleted ORDER BY user_id`, calendar)
}

// forgetEntries deletes entries that were taken from their lists before a time.
func forgetEntries(ctx context.Context, tx *database.Tx, before time.Time) error {
	users, err := database.All(ctx, tx, scanNumber, `
		DELETE FROM calendar_entries WHERE deleted AND updated < $1 RETURNING user_id`, database.Time(before))
	if err != nil {
		return err
	}
	gone := map[int64]rowCount{}
	for _, user := range users {
		n := gone[user]
		n.entries--
		gone[user] = n
	}
	return addAllRows(ctx, tx, gone)
}

// putEntry writes a row that nextListSeq has numbered and addRows has counted.
func putEntry(ctx context.Context, tx *database.Tx, e entryRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_entries (user_id, calendar_id, doc, deleted, seq, updated) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, calendar_id) DO UPDATE SET doc = excluded.doc, deleted = excluded.deleted, seq = excluded.seq, updated = excluded.updated`,
		e.userID, e.calendar, stored(e.doc), e.deleted, e.seq, database.Time(e.updated))
	return err
}
