package calendar

import (
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// overlaps reports whether an event overlaps the window: it ends after its beginning
// and begins before its end.
func (e eventRow) overlaps(w timespan.Span) bool {
	return (w.From.IsZero() || e.ends.After(w.From)) && (w.To.IsZero() || e.starts.Before(w.To))
}

// window is the span that a list began with.
func window(c listing.Cursor) timespan.Span { return timespan.Span{From: c.From, To: c.To} }

// isAfter reports whether an event is on a page after the one that the cursor
// ended.
func (e eventRow) isAfter(c listing.Cursor) bool {
	return c.ID == "" || e.starts.After(c.Start) || e.starts.Equal(c.Start) && e.id > c.ID
}
