package calendar

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/purge"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// TestEventRows: what is written is read back, on both databases.
func TestEventRows(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		e := eventRow{
			calendar: "c", id: "e1", uid: "u", starts: now, ends: now.Add(time.Hour), updated: now,
			doc: event.Event{Summary: "ž<&>"},
		}
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			if err := upsertCalendar(ctx, tx, calendarRow{
				id: "c", doc: calendarJSON{Summary: "s", TimeZone: "UTC"}, updated: now,
			}); err != nil {
				return err
			}
			for want := int64(1); want <= 3; want++ {
				seq, err := nextEventsSeq(ctx, tx, "c")
				if err != nil || seq != want {
					t.Errorf("sequence %d, %v, want %d", seq, err, want)
				}
				e.seq = seq
			}
			return upsertEvent(ctx, tx, e)
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eventByID(ctx, db, "c", "e1")
		if err != nil || got.doc.Summary != e.doc.Summary || !got.ends.Equal(e.ends) || got.seq != 3 {
			t.Errorf("got %+v, %v, want %+v", got, err, e)
		}
		if _, err := eventByID(ctx, db, "c", "e2"); err == nil {
			t.Error("an event that is not there was found")
		}
		// What came to life again after the sweep found it stays.
		put := func(cancelled bool) error {
			e.cancelled = cancelled
			return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return upsertEvent(ctx, tx, e) })
		}
		revive := func(ctx context.Context, b purge.Batch) error {
			if b.Calendar != "c" || b.Newest != 3 {
				t.Errorf("got %+v", b)
			}
			return errors.Join(put(false), db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				gone, err := b.Delete(ctx, tx)
				if gone != 0 {
					t.Errorf("%d rows were deleted", gone)
				}
				return err
			}))
		}
		if err := errors.Join(put(true), purge.Events(ctx, db, now.Add(time.Hour), 10, revive)); err != nil {
			t.Fatal(err)
		}
		if _, err := eventByID(ctx, db, "c", "e1"); err != nil {
			t.Errorf("it was forgotten: %v", err)
		}
		for window, want := range map[timespan.Span]int{
			{From: now.Add(time.Hour)}: 0, {From: now.Add(time.Hour - time.Second)}: 1,
			{To: now}: 0, {To: now.Add(time.Second)}: 1, {}: 1,
		} {
			rows, _, err := listEventsByChange(ctx, db, "c", 0, false, window, 10)
			if err != nil || len(rows) != want {
				t.Errorf("window %v: %d rows, %v, want %d", window, len(rows), err, want)
			}
		}
	}, migrations())
}

// TestEveryCodeHasAStatus: no refusal becomes an internal error.
func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, c := range codes(t) {
		if status, word := statusOf(c); status < 400 || status > 499 || word == "" {
			t.Errorf("%s: status %d %s", c, status, word)
		}
	}
}
