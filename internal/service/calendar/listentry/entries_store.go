package listentry

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const columns = `user_id, calendar_id, doc, deleted, seq, updated`

func scan(s database.Scanner) (e Row, err error) {
	var doc []byte
	err = s.Scan(&e.UserID, &e.Calendar, &doc, &e.Deleted, &e.Seq, database.ScanTime(&e.Updated))
	if err == nil {
		err = json.Unmarshal(doc, &e.Doc)
	}
	return e, err
}

// ByID finds the entry of a calendar on a user's list, also one that was taken from it.
func ByID(ctx context.Context, q database.Querier, user int64, calendar string) (Row, error) {
	e, err := database.One(ctx, q, scan, `
		SELECT `+columns+` FROM calendar_entries WHERE user_id = $1 AND calendar_id = $2`, user, calendar)
	return e, refusal.OrNotFound(err)
}

// List lists the entries of a user after a change, with those that were taken from the
// list if deleted is true.
func List(
	ctx context.Context, q database.Querier, user, seq int64, deleted bool, limit int,
) ([]Row, error) {
	return database.All(ctx, q, scan, `
		SELECT `+columns+` FROM calendar_entries
		WHERE user_id = $1 AND seq > $2 AND ($3 OR NOT deleted) ORDER BY seq LIMIT $4`, user, seq, deleted, limit)
}

// Holders are the users who have a calendar on their list.
func Holders(ctx context.Context, q database.Querier, calendar string) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `
		SELECT user_id FROM calendar_entries WHERE calendar_id = $1 AND NOT deleted ORDER BY user_id`, calendar)
}

// Purge deletes entries that were taken from their lists before a time.
func Purge(ctx context.Context, tx *database.Tx, before time.Time) error {
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
		if _, err := addCount(ctx, tx, user, -gone[user]); err != nil {
			return err
		}
	}
	return nil
}

// upsert writes a row that was numbered and counted.
func upsert(ctx context.Context, tx *database.Tx, e Row) error {
	doc, err := json.Marshal(e.Doc)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO calendar_entries (user_id, calendar_id, doc, deleted, seq, updated) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, calendar_id) DO UPDATE
		SET doc = excluded.doc, deleted = excluded.deleted, seq = excluded.seq, updated = excluded.updated`,
		e.UserID, e.Calendar, doc, e.Deleted, e.Seq, database.Time(e.Updated))
	return err
}

// addCount adds to the number of entries of a user's list and gives the new
// one.
func addCount(ctx context.Context, tx *database.Tx, user, add int64) (now int64, err error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET entry_count = entry_count + $2 WHERE user_id = $1 RETURNING entry_count`, user, add)
}

// Changes is how often a user's list changed; nextChange counts one more and holds the
// row until the commit.
func Changes(ctx context.Context, q database.Querier, user int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT list_seq FROM calendar_people WHERE user_id = $1`, user)
}

func nextChange(ctx context.Context, tx *database.Tx, user int64) (int64, error) {
	return database.One(ctx, tx, scanNumber, `
		UPDATE calendar_people SET list_seq = list_seq + 1 WHERE user_id = $1 RETURNING list_seq`, user)
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}
