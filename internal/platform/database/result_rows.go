package database

import "context"

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
