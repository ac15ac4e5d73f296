package database

import (
	"context"
	"sync"
)

// readers is a bounded pool of SQLite connections that cannot write. The
// connections are kept by us and not by database/sql, so that each has its own
// prepared statements without a search among all of them.
type readers struct {
	path   string
	slots  chan struct{} // one token per connection in use
	opened chan struct{} // closed when the first connection is open, or failed

	mu     sync.Mutex
	idle   []*sqliteConn // last in, first out: the warmest cache
	open   int64
	closed bool
}

// openReaders opens one connection beside what the caller does next. The others are
// opened when they are needed. What keeps one from opening keeps the writer from it
// too, which says so.
func openReaders(path string, o Options) *readers {
	r := &readers{path: path, slots: make(chan struct{}, o.Readers), opened: make(chan struct{})}
	go r.openFirst()
	return r
}

// openFirst leaves the first connection among the idle ones. Where it fails, the
// first who needs one tries again and is told why.
func (r *readers) openFirst() {
	defer close(r.opened)
	s, err := r.openOne()
	if err == nil {
		// It reads the schema now instead of at the first query.
		err = s.Script(context.Background(), "SELECT 1 FROM sqlite_schema LIMIT 1")
	}
	if err != nil && s != nil {
		_ = s.Close() // it only read
	}
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle, r.open = append(r.idle, s), r.open+1
}

func (r *readers) openOne() (*sqliteConn, error) { return openSQLiteConn(r.path, "query_only(1)") }

func (r *readers) acquire(ctx context.Context) (*sqliteConn, error) {
	select {
	case r.slots <- struct{}{}:
	default:
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s, err := r.take()
	if err != nil {
		<-r.slots
		return nil, err
	}
	return s, nil
}

func (r *readers) take() (*sqliteConn, error) {
	<-r.opened
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(r.idle); n > 0 {
		s := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return s, nil
	}
	r.open++
	r.mu.Unlock()

	s, err := r.openOne()
	if err != nil {
		r.mu.Lock()
		r.open--
		r.mu.Unlock()
	}
	return s, err
}

// release gives a connection back; err is what happened on it. A connection
// that met anything but a plain answer is not trusted again.
func (r *readers) release(s *sqliteConn, err error) {
	r.mu.Lock()
	keep := !r.closed && !suspicious(err)
	if keep {
		r.idle = append(r.idle, s)
	} else {
		r.open--
	}
	r.mu.Unlock()
	if !keep {
		_ = s.Close() // it only read
	}
	<-r.slots
}

// query does not interrupt the statement when the context ends, only between
// two rows: watching the context costs as much as a point read itself. Long
// statements belong into read.
func (r *readers) query(ctx context.Context, text string, args []any) (*Rows, error) {
	s, err := r.acquire(ctx)
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
	s, err := r.acquire(ctx)
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

func (r *readers) count() (open, busy int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open, r.open - int64(len(r.idle))
}

// close closes the idle connections; one in use is closed when it comes back.
func (r *readers) close() error {
	<-r.opened
	r.mu.Lock()
	idle := r.idle
	r.idle, r.closed = nil, true
	r.open -= int64(len(idle))
	r.mu.Unlock()
	for _, s := range idle {
		_ = s.Close() // it only read
	}
	return nil
}
