package listing

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/rowmemory"
)

// maxPageBytes ends a page before it has as many as were asked for: a page may always have fewer. All instances of a
// series repeat what the series says.
const maxPageBytes = 8 << 20

// PageBytes counts what the events of a page take.
type PageBytes int64

// Full reports whether a page ends before an event of a size, and counts it if not. One event fits always.
func (p *PageBytes) Full(size int64) bool {
	if *p > 0 && int64(*p)+size > maxPageBytes {
		return true
	}
	*p += PageBytes(size)
	return false
}

// Hold takes memory for the page, which may be far more than the rows that it was made of.
func (p *PageBytes) Hold(ctx context.Context) error { return rowmemory.Hold(ctx, int64(*p)) }
