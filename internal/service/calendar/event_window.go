package calendar

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// setTimes fills in when an event, or all instances of a series, begin and end.
func setTimes(ctx context.Context, e *eventRow, zone *time.Location) error {
	e.starts, e.ends = e.doc.Start.Instant(zone), e.doc.End.Instant(zone)
	e.recurring = len(e.doc.Recurrence) > 0
	if !e.recurring {
		return nil
	}
	s, err := e.doc.NewSeries()
	if err != nil {
		return err
	}
	last, ok, err := s.Last(newSteps(ctx))
	if err != nil {
		return err
	}
	if !ok {
		e.ends = time.Time{}
		return nil
	}
	// A day of margin: dates begin at different moments in different zones.
	e.ends = last.Add(e.doc.Length() + 24*time.Hour).UTC()
	return nil
}

// placeDays gives a row the moments at which its days begin and end in a calendar's zone, and reports whether they
// changed. The end of a series has a day of margin and stays.
func (e *eventRow) placeDays(zone *time.Location) (changed bool) {
	starts, ends := e.doc.Start.Instant(zone), e.ends
	if !e.recurring {
		ends = e.doc.End.Instant(zone)
	}
	changed = !starts.Equal(e.starts) || !ends.Equal(e.ends)
	e.starts, e.ends = starts, ends
	return changed
}

// overlaps reports whether an event overlaps the window: it ends after its beginning
// and begins before its end.
func (e eventRow) overlaps(w timespan.Span) bool {
	return (w.From.IsZero() || e.ends.After(w.From)) && (w.To.IsZero() || e.starts.Before(w.To))
}
