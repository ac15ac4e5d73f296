package calendar

import (
	"context"

	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listing"
)

// fitting is how many of the first events a page has that was asked for so many.
func fitting(found []eventRow, size int) int {
	var bytes listing.PageBytes
	for n, e := range found {
		if n == size || bytes.Full(e.size) {
			return n
		}
	}
	return len(found)
}

// holdPage takes memory for a page of events.
func holdPage(ctx context.Context, page []eventRow) error {
	var bytes listing.PageBytes
	for _, e := range page {
		bytes.Full(e.size)
	}
	return bytes.Hold(ctx)
}

// busyOnly leaves of a row when it takes time.
func (e eventRow) busyOnly() eventRow {
	e.doc, e.size = event.TimesOnly(e.doc, e.calendar), 1
	return e
}
