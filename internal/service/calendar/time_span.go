package calendar

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/listing"
)

// timeSpan is a window of time; a zero side is open.
type timeSpan struct{ from, to time.Time }

// overlaps reports whether an event overlaps the window: it ends after its beginning
// and begins before its end.
func (e eventRow) overlaps(w timeSpan) bool {
	return (w.from.IsZero() || e.ends.After(w.from)) && (w.to.IsZero() || e.starts.Before(w.to))
}

// maxTime is the last day that can be written in every zone with four digits of
// the year.
func maxTime() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// window is the span that a list began with.
func window(c listing.Cursor) timeSpan { return timeSpan{c.From, c.To} }

// isAfter reports whether an event is on a page after the one that the cursor
// ended.
func (e eventRow) isAfter(c listing.Cursor) bool {
	return c.ID == "" || e.starts.After(c.Start) || e.starts.Equal(c.Start) && e.id > c.ID
}
