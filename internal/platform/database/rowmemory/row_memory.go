package rowmemory

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Memory counts the memory of rows that are collected for one request.
type Memory interface {
	// HoldRows is told how many bytes of rows one query has given so far, again and again. An error ends the query.
	HoldRows(ctx context.Context, bytes int64) error
	// HoldRow is told of each long row that was read by itself. An error is that of its scan.
	HoldRow(ctx context.Context, bytes int64) error
}

type memoryKey struct{}

// Key is what a context is asked for that counts rows, as that of a request does: it answers with a Memory, or nil.
func Key() any { return memoryKey{} }

// Hold counts what a request makes of its rows, before it is made.
func Hold(ctx context.Context, bytes int64) error {
	memory, ok := ctx.Value(memoryKey{}).(Memory)
	if !ok || bytes < rowStep {
		return nil
	}
	return memory.HoldRows(ctx, bytes)
}

// Elsewhere is a context whose rows are not counted: the memory for them is taken by other means.
func Elsewhere(ctx context.Context) context.Context { return context.WithValue(ctx, memoryKey{}, nil) }

// Scanner is a row to be scanned.
type Scanner interface {
	Scan(dest ...any) error
}

const (
	// rowWeight is what a row takes besides its texts.
	rowWeight = 256
	// rowStep is after how many bytes of rows they are counted again; what is less counts nothing.
	rowStep = 64 << 10
)

// ScanSingle scans a row that was read by itself.
func ScanSingle(ctx context.Context, row Scanner, dest []any) error {
	if err := row.Scan(dest...); err != nil {
		return err
	}
	bytes := int64(0)
	for _, d := range dest {
		bytes += textBytes(d)
	}
	if bytes < rowStep {
		return nil
	}
	if memory, ok := ctx.Value(memoryKey{}).(Memory); ok {
		return memory.HoldRow(ctx, bytes)
	}
	return nil
}

// Counted is what rows that are collected are scanned with: for a request, what counts them.
func Counted(ctx context.Context, rows Scanner) Scanner {
	memory, ok := ctx.Value(memoryKey{}).(Memory)
	if !ok {
		return rows
	}
	return &countedRows{ctx: ctx, rows: rows, memory: memory, next: rowStep}
}

// Uncounted is what a row is scanned with whose memory is counted elsewhere.
func Uncounted(row Scanner) Scanner {
	if counted, ok := row.(*countedRows); ok {
		return counted.rows
	}
	return row
}

// countedRows are rows whose memory is counted as they come, so that a list is refused before it is whole.
type countedRows struct {
	ctx         context.Context //nolint:containedctx // it lives as long as the query
	rows        Scanner
	memory      Memory
	bytes, next int64
}

// Scan is that of the rows.
func (c *countedRows) Scan(dest ...any) error {
	if err := c.rows.Scan(dest...); err != nil {
		return err
	}
	c.bytes += rowWeight
	for _, d := range dest {
		c.bytes += textBytes(d)
	}
	if c.bytes < c.next {
		return nil
	}
	c.next = c.bytes + rowStep
	return c.memory.HoldRows(c.ctx, c.bytes)
}

func textBytes(dest any) int64 {
	switch d := dest.(type) {
	case *string:
		return int64(len(*d))
	case *[]byte:
		return int64(len(*d))
	case *json.RawMessage:
		return int64(len(*d))
	case *sql.NullString:
		return int64(len(d.String))
	}
	return 0
}
