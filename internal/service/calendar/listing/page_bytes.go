package listing

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
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

// errFull ends a reading of rows that are long.
var errFull = errors.New("the rows that were read are as long as a page")

// Read reads rows, fewer than limit where they are long: together they take no more than a page, but for the last one.
// more says that there may be others after them.
func Read[T any](
	ctx context.Context, q database.Querier, limit int, scan func(database.Scanner) (T, error), size func(T) int64,
	sql string, args ...any,
) (rows []T, more bool, err error) {
	bytes := int64(0)
	_, err = database.All(ctx, q, func(s database.Scanner) (struct{}, error) {
		row, err := scan(s)
		if err != nil {
			return struct{}{}, err
		}
		rows = append(rows, row)
		if bytes += size(row); bytes > maxPageBytes {
			err = errFull
		}
		return struct{}{}, err
	}, sql, args...)
	if errors.Is(err, errFull) {
		return rows, true, nil
	}
	return rows, len(rows) == limit, err
}
