package purge

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Batch names cancelled events of one calendar.
type Batch struct {
	Calendar string
	// Newest is the last number under which one of them was changed.
	Newest int64
	ids    []string
	before time.Time
}

// Events calls remove for what was cancelled before a moment, batch after batch of at most limit rows: in a
// transaction for each row the sweep would be slower than the clients that delete.
func Events(
	ctx context.Context, q database.Querier, before time.Time, limit int,
	remove func(ctx context.Context, b Batch) error,
) error {
	for {
		rows, err := list(ctx, q, before, limit)
		if err != nil {
			return err
		}
		for _, b := range batches(rows, before) {
			if err := remove(ctx, b); err != nil {
				return err
			}
		}
		if len(rows) < limit {
			return nil
		}
	}
}

// Delete deletes the rows, but for those that changed since they were named.
func (b Batch) Delete(ctx context.Context, tx *database.Tx) (gone int64, err error) {
	ids, args := database.In(3, b.ids)
	result, err := tx.Exec(ctx, `DELETE FROM calendar_events WHERE calendar_id = $1 AND cancelled AND updated < $2
		AND id IN `+ids, append([]any{b.Calendar, database.Time(b.before)}, args...)...)
	return result.RowsAffected, err
}

type row struct {
	calendar, id string
	seq          int64
}

func list(ctx context.Context, q database.Querier, before time.Time, limit int) ([]row, error) {
	return database.All(ctx, q, func(s database.Scanner) (r row, err error) {
		err = s.Scan(&r.calendar, &r.id, &r.seq)
		return r, err
	}, `SELECT e.calendar_id, e.id, e.seq FROM calendar_events e
		WHERE e.cancelled AND e.updated < $1 AND (e.series = '' OR EXISTS (
			SELECT 1 FROM calendar_events m WHERE m.calendar_id = e.calendar_id AND m.id = e.series AND m.cancelled))
		ORDER BY e.updated LIMIT $2`, database.Time(before), limit)
}

// batches groups rows by calendar, in the order of the calendars.
func batches(rows []row, before time.Time) (found []Batch) {
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.calendar, b.calendar) })
	for _, r := range rows {
		if len(found) == 0 || found[len(found)-1].Calendar != r.calendar {
			found = append(found, Batch{Calendar: r.calendar, before: before})
		}
		b := &found[len(found)-1]
		b.ids, b.Newest = append(b.ids, r.id), max(b.Newest, r.seq)
	}
	return found
}
