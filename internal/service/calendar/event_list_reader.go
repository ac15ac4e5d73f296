package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// eventFilter selects events of a list.
type eventFilter struct {
	window          timespan.Span
	single          bool
	deleted         bool
	updatedMin      time.Time
	uid             string
	words           []string // of q, in lower case; all must occur
	types           []string
	private, shared []event.Property
	// role is the reader's: an event is not found by what it hides from them.
	role Role
	// steps is what the request may still spend on expanding series.
	steps *budget.Steps
	// until is where the page is full already; zero when it is not.
	until time.Time
	// busy asks only when events take time: pages have no bytes then.
	busy bool
}

// matches applies the filters that do not concern time.
func (f eventFilter) matches(e eventRow) bool {
	switch {
	case !f.updatedMin.IsZero() && e.updated.Before(f.updatedMin),
		f.uid != "" && e.uid != f.uid,
		len(f.types) > 0 && !slices.Contains(f.types, e.doc.EventType):
		return false
	}
	if len(f.words)+len(f.private)+len(f.shared) > 0 && !visibleTo(e.doc, f.role) {
		return false
	}
	return e.doc.HasProperties(f.private, f.shared) && e.doc.Mentions(f.words)
}

// batch is how many rows are read at a time, at most.
const batch = 500

// rowsFor is how many rows to read for a page: as many as it has and the one
// that shows another page. Filters may ask for more of them.
func rowsFor(size int) int { return min(batch, size+1) }

// eventReader reads a page of one calendar's events in one transaction.
type eventReader struct {
	tx       *database.Tx
	calendar calendarRow
	cursor   listing.Cursor
	filter   eventFilter
	// Without an end in the filter, an endless series is expanded for some years
	// from now.
	now         time.Time
	expandYears int
}

func (s *Service) eventReader(tx *database.Tx, c calendarRow, cur listing.Cursor, f eventFilter) eventReader {
	return eventReader{
		tx: tx, calendar: c, cursor: cur, filter: f, now: s.world.Clock.Now(), expandYears: s.config.ExpandYears,
	}
}

// listPage picks the way to read a page; next is nil after the last one.
func (r eventReader) listPage(ctx context.Context, size int) ([]eventRow, *listing.Cursor, error) {
	r.filter.window = window(r.cursor)
	switch {
	case r.filter.single && r.cursor.Sync:
		return r.changedInstances(ctx, size)
	case r.filter.single:
		return r.listSingles(ctx, size)
	}
	return r.listByChange(ctx, size)
}

// listByChange lists rows in the order of their changes.
func (r eventReader) listByChange(ctx context.Context, size int) (found []eventRow, next *listing.Cursor, err error) {
	deleted := r.filter.deleted || r.cursor.Sync || !r.filter.updatedMin.IsZero()
	window := r.filter.window
	if r.cursor.Sync {
		window = timespan.Span{} // A sync is told of what left the window too.
	}
	var bytes listing.PageBytes
	for limit := rowsFor(size); ; limit = batch {
		rows, more, err := listEventsByChange(ctx, r.tx, r.calendar.id, r.cursor.After, deleted, window, limit)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			if r.filter.matches(e) {
				if len(found) == size || bytes.Full(e.size) {
					return found, &r.cursor, nil
				}
				found = append(found, e)
			}
			r.cursor.After = e.seq
		}
		if !more {
			return found, nil, nil
		}
	}
}

// closeWindow closes a window that has no end: with the last instance, or after
// some years when the series is endless.
func (r eventReader) closeWindow(e eventRow) timespan.Span {
	w := r.filter.window
	switch {
	case !w.To.IsZero():
	case !e.ends.IsZero():
		w.To = e.ends
	default:
		w.To = timespan.Later(timespan.Later(r.now, w.From), e.starts).AddDate(r.expandYears, 0, 0)
	}
	return w
}

// listSingles lists single events and instances in the order of their starts.
func (r eventReader) listSingles(ctx context.Context, size int) ([]eventRow, *listing.Cursor, error) {
	found, err := r.listStored(ctx, "", size+1)
	if err != nil {
		return nil, nil, err
	}
	masters, err := seriesBetween(ctx, r.tx, r.calendar.id, r.filter.window)
	if err != nil {
		return nil, nil, err
	}
	known, err := r.storedIDs(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, m := range masters {
		if r.filter.busy {
			m = m.busyOnly()
		}
		// Expanding is work without a statement that would notice the deadline.
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if r.filter.matches(m) {
			instances, err := r.instancesAfter(m, known, size)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, instances...)
		}
		// What cannot be on the page is neither kept nor expanded.
		if len(found) > 2*(size+1) {
			if found = r.firstAfter(found, size+1); len(found) > size {
				r.filter.until = found[size].starts.Add(time.Second)
			}
		}
	}
	return r.cutPage(found, size)
}

// storedIDs are the ids of all instances of a series, or of all series, that are stored on their own.
func (r eventReader) storedIDs(ctx context.Context, series string) (map[string]bool, error) {
	ids, err := storedInstances(ctx, r.tx, r.calendar.id, series)
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	return known, err
}

// instancesAfter are the instances of a series for the page after the cursor.
// Nothing that begins before it is expanded again.
func (r eventReader) instancesAfter(m eventRow, known map[string]bool, size int) ([]eventRow, error) {
	w := r.closeWindow(m)
	if r.cursor.ID != "" {
		w.From = timespan.Later(w.From, m.expandFrom(r.cursor.Start))
	}
	if !r.filter.until.IsZero() {
		w.To = timespan.Earlier(w.To, r.filter.until)
	}
	// One more shows another page; a few begin at the cursor or before.
	return m.expand(r.filter.steps, w, r.calendar.zone(), known, size+5)
}

// cutPage gives the page after the cursor; next is nil when it is the last one.
func (r eventReader) cutPage(found []eventRow, size int) (rows []eventRow, next *listing.Cursor, err error) {
	found = r.firstAfter(found, size+1)
	fit := fitting(found, size)
	if fit == len(found) {
		return found, nil, nil
	}
	last := found[fit-1]
	r.cursor.Start, r.cursor.ID = last.starts, last.id
	return found[:fit], &r.cursor, nil
}

// firstAfter are the first events after the listing.Cursor, in the order of their starts.
func (r eventReader) firstAfter(found []eventRow, limit int) []eventRow {
	found = slices.DeleteFunc(found, func(e eventRow) bool { return !e.isAfter(r.cursor) })
	slices.SortFunc(found, byStart)
	return slices.Delete(found, min(limit, len(found)), len(found))
}

func byStart(a, b eventRow) int {
	if n := a.starts.Compare(b.starts); n != 0 {
		return n
	}
	return strings.Compare(a.id, b.id)
}

// listStored are the events that do not repeat and the instances that are stored on their own, those of one series if
// it is given, in the order of their starts: as many as were asked for, or one more than the bytes of a page.
func (r eventReader) listStored(ctx context.Context, series string, limit int) (found []eventRow, err error) {
	start, id := r.cursor.Start, r.cursor.ID
	var bytes listing.PageBytes
	for asked := rowsFor(limit); ; asked = batch {
		rows, more, err := listEventsByStart(
			ctx, r.tx, r.calendar.id, series, start, id, r.filter.deleted, r.filter.window, asked)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			start, id = e.starts, e.id
			if !r.filter.matches(e) {
				continue
			}
			if r.filter.busy {
				e = e.busyOnly()
			}
			if found = append(found, e); len(found) == limit || bytes.Full(e.size) {
				return found, nil
			}
		}
		if !more {
			return found, nil
		}
	}
}

// changedInstances lists what changed since a sync as single instances. A
// series that takes more than a page goes on where it stopped.
func (r eventReader) changedInstances(
	ctx context.Context, size int,
) (found []eventRow, next *listing.Cursor, err error) {
	known, err := r.storedIDs(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	var bytes listing.PageBytes
	for {
		rows, more, err := listEventsByChange(ctx, r.tx, r.calendar.id, r.cursor.After, true, timespan.Span{}, batch)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			instances, err := r.changedRowInstances(e, known, size+1)
			if err != nil {
				return nil, nil, err
			}
			for _, one := range instances {
				if len(found) == size || bytes.Full(one.size) {
					return found, &r.cursor, nil
				}
				found = append(found, one)
				r.cursor.Start, r.cursor.Within = one.starts, e.seq
			}
			r.cursor.After, r.cursor.Start, r.cursor.Within = e.seq, time.Time{}, 0
		}
		if !more {
			return found, nil, nil
		}
	}
}

// changedRowInstances is a changed row as instances, from where the page before
// stopped in it; a series that changed since begins anew. A single event is part of it
// wherever it is: it may have left the window.
func (r eventReader) changedRowInstances(e eventRow, known map[string]bool, limit int) ([]eventRow, error) {
	switch {
	case !r.filter.matches(e):
		return nil, nil
	case !e.recurring:
		return []eventRow{e}, nil
	}
	w := r.closeWindow(e)
	if r.cursor.Within != e.seq {
		return e.expand(r.filter.steps, w, r.calendar.zone(), known, limit)
	}
	w.From = timespan.Later(w.From, e.expandFrom(r.cursor.Start))
	all, err := e.expand(r.filter.steps, w, r.calendar.zone(), known, limit+5)
	return slices.DeleteFunc(all, func(one eventRow) bool { return !one.starts.After(r.cursor.Start) }), err
}

// instances lists those of one series in the order of their starts.
func (r eventReader) instances(ctx context.Context, id string, size int) ([]eventRow, *listing.Cursor, error) {
	m, err := eventByID(ctx, r.tx, r.calendar.id, id)
	if err != nil {
		return nil, nil, err
	}
	known, err := r.storedIDs(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	found, err := r.listStored(ctx, id, size+1)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case m.recurring && !m.cancelled:
		all, err := r.instancesAfter(m, known, size)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, all...)
	case !m.recurring && (!m.cancelled || r.filter.deleted) && m.overlaps(r.filter.window):
		found = append(found, m)
	}
	return r.cutPage(found, size)
}

// window is the span that a list began with.
func window(c listing.Cursor) timespan.Span { return timespan.Span{From: c.From, To: c.To} }

// isAfter reports whether an event is on a page after the one that the cursor
// ended.
func (e eventRow) isAfter(c listing.Cursor) bool {
	return c.ID == "" || e.starts.After(c.Start) || e.starts.Equal(c.Start) && e.id > c.ID
}
