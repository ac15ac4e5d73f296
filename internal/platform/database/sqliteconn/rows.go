package sqliteconn

import (
	"context"
	"database/sql"
	"fmt"

	lib "modernc.org/sqlite/lib"
)

// Rows iterates over the result of a query.
type Rows struct {
	conn    *Conn
	s       *statement
	ctx     context.Context // nil where nothing interrupts
	stop    func()
	columns int
	row     bool // there is a current row
	first   bool // it was reached when the query ran
	err     error
	closed  bool
}

// Query runs a statement up to its first row. The rows are closed before the
// connection is used by others; meanwhile it may run other statements.
func (c *Conn) Query(ctx context.Context, text string, args []any) (*Rows, error) {
	s, err := c.statement(text)
	if err != nil {
		return nil, err
	}
	if err := c.bind(s, args); err != nil {
		c.finish(s)
		return nil, err
	}
	s.busy = true
	r := &Rows{conn: c, s: s, first: true}
	if ctx.Done() != nil {
		r.ctx, r.stop = ctx, c.interruptWith(ctx)
	}
	if r.row, err = c.step(s); err != nil {
		r.err = err
		return nil, r.Close()
	}
	r.columns = int(lib.Xsqlite3_column_count(c.tls, s.handle))
	return r, nil
}

// Next steps to the next row.
func (r *Rows) Next() bool {
	if r.first || !r.row {
		r.first = false
		return r.row
	}
	if r.row, r.err = r.conn.step(r.s); r.err != nil {
		r.row = false
	}
	return r.row
}

// Err is what ended the iteration, if not the last row.
func (r *Rows) Err() error { return r.err }

// Close ends the query and reports what went wrong in it.
func (r *Rows) Close() error {
	if r.closed {
		return r.err
	}
	r.closed, r.row, r.first = true, false, false
	if r.ctx != nil {
		r.err = interrupted(r.ctx, r.err)
	}
	r.conn.finish(r.s)
	if r.stop != nil {
		r.stop()
	}
	return r.err
}

// Scan copies the current row into dest, as database/sql does.
func (r *Rows) Scan(dest ...any) error {
	if !r.row || r.first {
		return fmt.Errorf("sqliteconn: Scan without a row")
	}
	if len(dest) != r.columns {
		return fmt.Errorf("sqliteconn: %d destinations for %d columns", len(dest), r.columns)
	}
	for i, d := range dest {
		if err := r.scan(int32(i), d); err != nil {
			return fmt.Errorf("sqliteconn: column %d: %w", i+1, err)
		}
	}
	return nil
}

// scan reads the usual pairs of types straight from the row and leaves the
// others to assign.
func (r *Rows) scan(i int32, dest any) error {
	kind := lib.Xsqlite3_column_type(r.conn.tls, r.s.handle, i)
	switch d := dest.(type) {
	case *string:
		if kind == lib.SQLITE_TEXT {
			*d = string(r.bytes(i))
			return nil
		}
	case *int64:
		if kind == lib.SQLITE_INTEGER {
			*d = lib.Xsqlite3_column_int64(r.conn.tls, r.s.handle, i)
			return nil
		}
	case *int:
		if kind == lib.SQLITE_INTEGER {
			*d = int(lib.Xsqlite3_column_int64(r.conn.tls, r.s.handle, i))
			return nil
		}
	case *[]byte:
		if kind == lib.SQLITE_BLOB {
			*d = r.copied(i)
			return nil
		}
	case sql.Scanner:
		return d.Scan(r.value(i, kind))
	}
	return assign(dest, r.value(i, kind))
}

// value is a column as one of the types database/sql knows.
func (r *Rows) value(i int32, kind int32) any {
	switch kind {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(r.conn.tls, r.s.handle, i)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(r.conn.tls, r.s.handle, i)
	case lib.SQLITE_TEXT:
		return string(r.bytes(i))
	case lib.SQLITE_BLOB:
		return r.copied(i)
	}
	return nil
}

// bytes are those of a text or a blob, until the next step.
func (r *Rows) bytes(i int32) []byte {
	at := lib.Xsqlite3_column_blob(r.conn.tls, r.s.handle, i)
	if at == 0 {
		return nil
	}
	return bytesAt(at, int(lib.Xsqlite3_column_bytes(r.conn.tls, r.s.handle, i)))
}

// copied is a blob of the caller's own; an empty one is nil.
func (r *Rows) copied(i int32) []byte { return append([]byte(nil), r.bytes(i)...) }
