package calendar

import "stoa.dev/stoa/internal/service/calendar/event"

// maxPageBytes ends a page of events before it has as many as were asked for: a page may always have fewer. All
// instances of a series repeat what the series says.
const maxPageBytes = 8 << 20

// pageBytes counts what the events of a page take.
type pageBytes int64

// full reports whether a page has no space for an event, and counts it if it has. One event fits always.
func (p *pageBytes) full(e eventRow) bool {
	if *p > 0 && int64(*p)+e.size > maxPageBytes {
		return true
	}
	*p += pageBytes(e.size)
	return false
}

// fitting is how many of the first events a page has that was asked for so many.
func fitting(found []eventRow, size int) int {
	var bytes pageBytes
	for n, e := range found {
		if n == size || bytes.full(e) {
			return n
		}
	}
	return len(found)
}

// busyOnly leaves of a row when it takes time.
func (e eventRow) busyOnly() eventRow {
	e.doc, e.size = event.TimesOnly(e.doc, e.calendar), 1
	return e
}
