package calendar

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
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

func listEntries(
	ctx context.Context, q database.Querier, user, seq int64, deleted bool, limit int,
) ([]entryRow, error) {
	return database.All(ctx, q, scanEntry, `
		SELECT `+entryColumns+` FROM calendar_entries
		WHERE user_id = $1 AND seq > $2 AND ($3 OR NOT deleted) ORDER BY seq LIMIT $4`, user, seq, deleted, limit)
}

// entryOwners are the users who have a calendar on their list.
func entryOwners(ctx context.Context, q database.Querier, calendar string) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `
		SELECT user_id FROM calendar_entries WHERE calendar_id = $1 AND NOT deleted ORDER BY user_id`, calendar)
}

// purgeEntries deletes entries that were taken from their lists before a time.
func purgeEntries(ctx context.Context, tx *database.Tx, before time.Time) error {
	users, err := database.All(ctx, tx, scanNumber, `
		DELETE FROM calendar_entries WHERE deleted AND updated < $1 RETURNING user_id`, database.Time(before))
	if err != nil {
		return err
	}
	gone := map[int64]int64{}
	for _, user := range users {
		gone[user]++
	}
	// One order for all transactions, so that none waits for another in a circle.
	for _, user := range slices.Sorted(maps.Keys(gone)) {
		if _, err := countEntries(ctx, tx, user, -gone[user]); err != nil {
			return err
		}
	}
	return nil
}

// upsertEntry writes a row that nextListSeq has numbered and countEntries has
// counted.
func upsertEntry(ctx context.Context, tx *database.Tx, e entryRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_entries (user_id, calendar_id, doc, deleted, seq, updated) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, calendar_id) DO UPDATE
		SET doc = excluded.doc, deleted = excluded.deleted, seq = excluded.seq, updated = excluded.updated`,
		e.userID, e.calendar, encodeDoc(e.doc), e.deleted, e.seq, database.Time(e.updated))
	return err
}
