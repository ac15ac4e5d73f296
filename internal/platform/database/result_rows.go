package database

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/rowmemory"
)

// cursor is what the engines iterate with; a *sql.Rows is one.
type cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Rows iterates over the result of a query. It holds a connection until it is
// closed or Next returned false: do not run other queries on the DB meanwhile,
// collect with All first.
type Rows struct {
	ctx       context.Context
	rows      cursor
	translate func(error) error
	release   func(error) // gives the connection back, once
	err       error
	closed    bool
}

// Next steps to the next row. It ends early when the context does.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if err := r.ctx.Err(); err != nil {
		r.err = err
		r.close()
		return false
	}
	if r.rows.Next() {
		return true
	}
	r.close()
	return false
}

// Scan copies the current row into dest, as database/sql does.
func (r *Rows) Scan(dest ...any) error {
	return r.translate(r.rows.Scan(dest...))
}

// Err is what ended the iteration, if not the last row.
func (r *Rows) Err() error { return r.err }

// Close ends the iteration and reports what went wrong in it. It may be called more than once.
func (r *Rows) Close() error {
	r.close()
	return r.err
}

func (r *Rows) close() {
	if r.closed {
		return
	}
	r.closed = true
	closeErr := r.rows.Close()
	err := r.rows.Err()
	if err == nil {
		err = closeErr
	}
	if r.err == nil {
		r.err = r.translate(err)
	}
	r.release(r.err)
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
