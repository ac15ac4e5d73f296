package calendar

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const calendarColumns = `id, owner_id, client_id, is_primary, doc, version, updated,
	events_seq, rules_seq, purged_seq, acl_seq`

func scanCalendar(s database.Scanner) (c calendarRow, err error) {
	var doc []byte
	err = s.Scan(&c.id, &c.ownerID, &c.clientID, &c.primary, &doc, &c.version, database.ScanTime(&c.updated),
		&c.eventsSeq, &c.rulesSeq, &c.purgedSeq, &c.aclSeq)
	if err == nil {
		err = json.Unmarshal(doc, &c.doc)
	}
	return c, err
}

func calendarByID(ctx context.Context, q database.Querier, id string) (calendarRow, error) {
	c, err := readCalendar(ctx, q, id)
	return c, refusal.OrNotFound(err)
}

// readCalendar is calendarByID with the database's word for one that is not there.
func readCalendar(ctx context.Context, q database.Querier, id string) (calendarRow, error) {
	return database.One(ctx, q, scanCalendar, `SELECT `+calendarColumns+` FROM calendar_calendars WHERE id = $1`, id)
}

// calendarsByOwner lists the calendars of a user, the primary one first.
func calendarsByOwner(ctx context.Context, q database.Querier, owner int64) ([]calendarRow, error) {
	return database.All(ctx, q, scanCalendar, `SELECT `+calendarColumns+` FROM calendar_calendars
		WHERE owner_id = $1 ORDER BY is_primary DESC, id`, owner)
}

func countCalendars(ctx context.Context, q database.Querier, owner int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT COUNT(*) FROM calendar_calendars WHERE owner_id = $1`, owner)
}

// upsertCalendar writes what belongs to the calendar itself; its counters stay.
func upsertCalendar(ctx context.Context, tx *database.Tx, c calendarRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_calendars (id, owner_id, client_id, is_primary, doc, version, updated,
			events_seq, rules_seq, purged_seq, acl_seq, event_count)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0, 0)
		ON CONFLICT (id) DO UPDATE
		SET owner_id = excluded.owner_id, doc = excluded.doc, version = excluded.version, updated = excluded.updated`,
		c.id, c.ownerID, c.clientID, c.primary, encodeDoc(c.doc), c.version, database.Time(c.updated))
	return err
}

// deleteCalendar forgets the calendar, its rules and its events.
func deleteCalendar(ctx context.Context, tx *database.Tx, id string) error {
	for _, sql := range []string{
		`DELETE FROM calendar_calendars WHERE id = $1`,
		`DELETE FROM calendar_acl WHERE calendar_id = $1`,
		`DELETE FROM calendar_events WHERE calendar_id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return err
		}
	}
	return nil
}

// nextEventsSeq counts one more change of a calendar's events and locks the
// row until the commit, so that the numbers become visible in their order.
func nextEventsSeq(ctx context.Context, tx *database.Tx, id string) (int64, error) {
	var n int64
	err := singlerow.Update(ctx, tx, singlerow.Change{
		Table: "calendar_calendars", Set: "events_seq = events_seq + 1", Where: "id = $1", Read: "events_seq",
	}, []any{id}, nil, &n)
	return n, refusal.OrNotFound(err)
}

// nextEventSeq is nextEventsSeq for the row with an id, which is counted if it is
// new. The calendar must be locked, so that no other request adds it meanwhile.
func nextEventSeq(ctx context.Context, tx *database.Tx, calendar, id string) (seq, count int64, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "calendar_calendars", Where: "id = $1", Read: "events_seq, event_count",
		Set: `events_seq = events_seq + 1, event_count = event_count + CASE
			WHEN EXISTS (SELECT 1 FROM calendar_events WHERE calendar_id = $1 AND id = $2) THEN 0 ELSE 1 END`,
	}, []any{calendar}, []any{id}, &seq, &count)
	return seq, count, refusal.OrNotFound(err)
}

// markReshaped notes that the last change took instances away.
func markReshaped(ctx context.Context, tx *database.Tx, id string) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_calendars SET rules_seq = events_seq WHERE id = $1`, id)
	return err
}

// markPurged notes that rows up to seq may be gone.
func markPurged(ctx context.Context, tx *database.Tx, id string, seq int64) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_calendars SET purged_seq = $2 WHERE id = $1 AND purged_seq < $2`, id, seq)
	return err
}

// lockCalendar keeps other changes of a calendar's events away until the
// commit. The lock on the key does that too, but for a move, which changes two
// calendars. SQLite has one writer and needs nothing.
func lockCalendar(ctx context.Context, tx *database.Tx, id string) error {
	if tx.Engine() == database.SQLite {
		return nil
	}
	var found string
	row := tx.QueryRow(ctx, `SELECT id FROM calendar_calendars WHERE id = $1 FOR UPDATE`, id)
	return refusal.OrNotFound(row.Scan(&found))
}

// lockCalendars is lockCalendar for two of them, in an order that all follow: two that lock the same calendars do not
// wait for each other.
func lockCalendars(ctx context.Context, tx *database.Tx, one, other string) error {
	if err := lockCalendar(ctx, tx, min(one, other)); err != nil {
		return err
	}
	return lockCalendar(ctx, tx, max(one, other))
}

// encodeDoc encodes what is kept as a document. The shapes have nothing that
// JSON cannot express; if one ever did, the column refuses the missing document.
func encodeDoc(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}
