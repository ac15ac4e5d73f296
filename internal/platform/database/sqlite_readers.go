package database

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/readerpool"
)

// readers are SQLite connections that cannot write.
type readers struct{ pool *readerpool.Pool[*sqliteConn] }

// openReaders opens one connection beside what the caller does next. What keeps one
// from opening keeps the writer from it too, which says so.
func openReaders(path string, o Options) *readers {
	return &readers{pool: readerpool.New(readerpool.Options[*sqliteConn]{
		Max: o.Readers, Closed: ErrClosed,
		Open: func() (*sqliteConn, error) { return openSQLiteConn(path, "query_only(1)") },
		// It reads the schema now instead of at the first query.
		Warm: func(c *sqliteConn) error {
			return c.Script(context.Background(), "SELECT 1 FROM sqlite_schema LIMIT 1")
		},
	})}
}

// release gives a connection back; err is what happened on it. A connection
// that met anything but a plain answer is not trusted again.
func (r *readers) release(s *sqliteConn, err error) { r.pool.Release(s, !suspicious(err)) }

// query does not interrupt the statement when the context ends, only between
// two rows: watching the context costs as much as a point read itself. Long
// statements belong into read.
func (r *readers) query(ctx context.Context, text string, args []any) (*Rows, error) {
	s, err := r.pool.Acquire(ctx)
	if err != nil {
		return nil, translateSQLite(err)
	}
	rows, err := s.Query(context.Background(), text, args)
	if err != nil {
		err = translateSQLite(err)
		r.release(s, err)
		return nil, err
	}
	return &Rows{ctx: ctx, rows: rows, translate: translateSQLite, release: func(err error) { r.release(s, err) }}, nil
}

// read runs fn on a snapshot: SQLite fixes it at the first statement. A
// statement is interrupted when its context ends; no other reader is harmed.
func (r *readers) read(ctx context.Context, fn func(*Tx) error) error {
	s, err := r.pool.Acquire(ctx)
	if err != nil {
		return translateSQLite(err)
	}
	if err := s.Run("BEGIN"); err != nil {
		err = translateSQLite(err)
		r.release(s, err)
		return err
	}
	tx := &Tx{ctx: ctx, engine: SQLite, conn: s, translate: translateSQLite, reading: true}
	var end ending
	// Deferred, because fn may end the goroutine.
	defer func() {
		// Nothing was written, so how the transaction ends does not matter,
		// but it has to: an open snapshot would keep the log growing.
		endErr := s.Run("ROLLBACK")
		if endErr == nil {
			endErr = tx.failed
		}
		r.release(s, translateSQLite(endErr))
	}()
	tx.run(fn, &end)
	if end.panicked != nil {
		panic(end.panicked)
	}
	return end.err
}
