package database

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/rowmemory"
)

// Querier runs statements. Store functions take one, so that they work inside
// a transaction (Tx) and outside of one (DB, where Exec is a transaction of
// its own and the others only read).
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (Result, error)
	Query(ctx context.Context, sql string, args ...any) (*Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) *Row
}

// Result is what a statement changed.
type Result struct {
	RowsAffected int64
}

// Scanner is a row to be scanned: Row, and Rows at its current row.
type Scanner interface {
	Scan(dest ...any) error
}

// Row is a query for at most one row. The query runs when Scan is called.
type Row struct {
	ctx   context.Context
	query func(ctx context.Context, sql string, args []any) (*Rows, error)
	sql   string
	args  []any
}

// Scan runs the query and scans its first row; ErrNotFound if there is none.
func (r *Row) Scan(dest ...any) error {
	rows, err := r.query(r.ctx, r.sql, r.args)
	if err != nil {
		return err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNotFound
	}
	err = rowmemory.ScanSingle(r.ctx, rows, dest)
	// Close may be the first to report that the statement failed.
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	return err
}

// One runs a query and scans its first row; ErrNotFound if there is none.
func One[T any](ctx context.Context, q Querier, scan func(Scanner) (T, error), sql string, args ...any) (T, error) {
	return scan(q.QueryRow(ctx, sql, args...))
}

// All runs a query and scans every row. No row gives an empty, non-nil slice. The
// rows of a request are counted (package rowmemory).
func All[T any](ctx context.Context, q Querier, scan func(Scanner) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	all, from := []T{}, rowmemory.Counted(ctx, rows)
	for rows.Next() {
		v, err := scan(from)
		if err != nil {
			_ = rows.Close() // It has nothing to add to err.
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Close()
}
