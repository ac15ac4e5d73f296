package calendar

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

const eventColumns = `calendar_id, id, series, uid, cancelled, recurring, starts, ends, seq, updated, doc, origin`

func scanEvent(s database.Scanner) (e eventRow, err error) {
	var doc []byte
	err = s.Scan(&e.calendar, &e.id, &e.series, &e.uid, &e.cancelled, &e.recurring, database.ScanTime(&e.starts),
		database.ScanNullTime(&e.ends), &e.seq, database.ScanTime(&e.updated), &doc, &e.origin)
	if err == nil {
		err = json.Unmarshal(doc, &e.doc)
	}
	e.size = int64(len(doc))
	return e, err
}

func eventByID(ctx context.Context, q database.Querier, calendar, id string) (eventRow, error) {
	e, err := database.One(ctx, q, scanEvent, `
		SELECT `+eventColumns+` FROM calendar_events WHERE calendar_id = $1 AND id = $2`, calendar, id)
	return e, refusal.OrNotFound(err)
}

// eventByUID finds the event or series that an import brought before; one
// that was deleted only when there is no other.
func eventByUID(ctx context.Context, q database.Querier, calendar, uid string) (eventRow, error) {
	e, err := database.One(ctx, q, scanEvent, `
		SELECT `+eventColumns+` FROM calendar_events
		WHERE calendar_id = $1 AND uid = $2 AND series = '' ORDER BY cancelled, id LIMIT 1`, calendar, uid)
	return e, refusal.OrNotFound(err)
}

// liveEventByUID is eventByUID without what was deleted.
func liveEventByUID(ctx context.Context, q database.Querier, calendar, uid string) (eventRow, error) {
	e, err := eventByUID(ctx, q, calendar, uid)
	if err == nil && e.cancelled {
		return e, refusal.NotFound()
	}
	return e, err
}

// storedInstances are the ids of the instances of a series that are stored on their own, of all series of the calendar
// when series is empty. The rows are read one by one or in pages: together they may be far too long.
func storedInstances(ctx context.Context, q database.Querier, calendar, series string) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT id FROM calendar_events
		WHERE calendar_id = $1 AND series <> '' AND ($2 = '' OR series = $2) ORDER BY id`, calendar, series)
}

// upsertEvent writes a row that nextEvent has numbered and counted.
func upsertEvent(ctx context.Context, tx *database.Tx, e eventRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_events (`+eventColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (calendar_id, id) DO UPDATE
		SET series = excluded.series, uid = excluded.uid, cancelled = excluded.cancelled,
			recurring = excluded.recurring, starts = excluded.starts, ends = excluded.ends, seq = excluded.seq,
			updated = excluded.updated, doc = excluded.doc, origin = excluded.origin`,
		e.calendar, e.id, e.series, e.uid, e.cancelled, e.recurring, database.Time(e.starts), database.NullTime(e.ends),
		e.seq, database.Time(e.updated), encodeDoc(e.doc), e.origin)
	return err
}

// placeDays brings the rows of a calendar to its zone, which has changed: whole days begin at another moment. Nothing
// that the events say changes.
func placeDays(ctx context.Context, tx *database.Tx, c calendarRow) error {
	zone := c.zone()
	for after := int64(-1); ; {
		rows, more, err := listEventsByChange(ctx, tx, c.id, after, true, timespan.Span{}, batch)
		if err != nil {
			return err
		}
		for _, e := range rows {
			after = e.seq
			if !e.placeDays(zone) {
				continue
			}
			if _, err := tx.Exec(ctx, `UPDATE calendar_events SET starts = $3, ends = $4 WHERE calendar_id = $1 AND id = $2`,
				c.id, e.id, database.Time(e.starts), database.NullTime(e.ends)); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

func deleteEvent(ctx context.Context, tx *database.Tx, calendar, id string) error {
	result, err := tx.Exec(ctx, `DELETE FROM calendar_events WHERE calendar_id = $1 AND id = $2`, calendar, id)
	if err != nil {
		return err
	}
	return countDeleted(ctx, tx, calendar, result.RowsAffected)
}

// countDeleted takes rows that were deleted off a calendar's number of them.
func countDeleted(ctx context.Context, tx *database.Tx, calendar string, n int64) error {
	if n == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE calendar_calendars SET event_count = event_count - $2 WHERE id = $1`, calendar, n)
	return err
}

func deleteEvents(ctx context.Context, tx *database.Tx, calendar string) error {
	result, err := tx.Exec(ctx, `DELETE FROM calendar_events WHERE calendar_id = $1`, calendar)
	if err != nil {
		return err
	}
	return countDeleted(ctx, tx, calendar, result.RowsAffected)
}

// readEvents reads events, fewer than limit where they are long. more says that there may be others after them.
func readEvents(ctx context.Context, q database.Querier, limit int, sql string, args ...any) (
	rows []eventRow, more bool, err error,
) {
	return listing.Read(ctx, q, limit, scanEvent, func(e eventRow) int64 { return e.size }, sql, args...)
}

// listEventsByChange pages through rows in the order of their changes. Deleted
// instances of a series are part of the series and always there; other deleted
// events only when asked for.
func listEventsByChange(
	ctx context.Context, q database.Querier, calendar string, seq int64, cancelled bool, w timespan.Span, limit int,
) (rows []eventRow, more bool, err error) {
	return readEvents(ctx, q, limit, `
		SELECT `+eventColumns+` FROM calendar_events
		WHERE calendar_id = $1 AND seq > $2 AND ($3 OR NOT cancelled OR series <> '')
			AND ($4 = '' OR ends IS NULL OR ends > $4) AND ($5 = '' OR starts < $5)
		ORDER BY seq LIMIT $6`, calendar, seq, cancelled, formatBound(w.From), formatBound(w.To), limit)
}

// listEventsByStart pages through single events and the instances that are stored on their own, those of one series if
// it is given, in the order of their starts.
func listEventsByStart(
	ctx context.Context, q database.Querier, calendar, series string, after time.Time, afterID string, cancelled bool,
	w timespan.Span, limit int,
) (rows []eventRow, more bool, err error) {
	of := ``
	if series != "" {
		of = ` AND series = $8 AND series <> ''` // by its index
	}
	args := []any{
		calendar, formatBound(after), afterID, cancelled, formatBound(w.From), formatBound(w.To), limit, series,
	}
	return readEvents(ctx, q, limit, `
		SELECT `+eventColumns+` FROM calendar_events
		WHERE calendar_id = $1`+of+`
		AND NOT recurring AND (starts > $2 OR (starts = $2 AND id > $3)) AND ($4 OR NOT cancelled)
			AND ($5 = '' OR ends > $5) AND ($6 = '' OR starts < $6)
		ORDER BY starts, id
		LIMIT $7`, args[:7+min(1, len(of))]...)
}

// seriesBetween are the series with instances that may lie in the window.
func seriesBetween(ctx context.Context, q database.Querier, calendar string, w timespan.Span) ([]eventRow, error) {
	return database.All(ctx, q, scanEvent, `
		SELECT `+eventColumns+` FROM calendar_events
		WHERE calendar_id = $1 AND recurring AND NOT cancelled AND series = ''
			AND ($2 = '' OR ends IS NULL OR ends > $2) AND ($3 = '' OR starts < $3)
		ORDER BY starts, id`, calendar, formatBound(w.From), formatBound(w.To))
}

// formatBound is the stored form of a time, empty for none.
func formatBound(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return database.FormatTime(t)
}

// listCopies are the calendars that have a copy of an event, or of the series that it is an instance of.
func listCopies(ctx context.Context, q database.Querier, origin, id, series string) ([]string, error) {
	return database.All(ctx, q, scanText, `
		SELECT DISTINCT calendar_id FROM calendar_events
		WHERE origin = $1 AND origin <> '' AND id IN ($2, $3) AND NOT cancelled
		ORDER BY calendar_id`, origin, id, series)
}

// listCopied are the events of a calendar that are copied elsewhere, in the order of their ids.
func listCopied(ctx context.Context, q database.Querier, origin, after string, limit int) ([]string, error) {
	return database.All(ctx, q, scanText, `
		SELECT DISTINCT id FROM calendar_events
		WHERE origin = $1 AND origin <> '' AND NOT cancelled AND id > $2 ORDER BY id LIMIT $3`, origin, after, limit)
}

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}

// isFull reports whether a calendar takes no further invitation.
func isFull(ctx context.Context, q database.Querier, calendar string) (full bool, err error) {
	err = q.QueryRow(ctx, `SELECT event_count >= $2 FROM calendar_calendars WHERE id = $1`, calendar, maxInvited).
		Scan(&full)
	return full, err
}
