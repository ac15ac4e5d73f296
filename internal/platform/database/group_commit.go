package database

import (
	"context"
	"errors"

	lib "modernc.org/sqlite/lib"

	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

// txConn is the writing connection as the batch sees it. Tests put a failing one in its place.
type txConn interface {
	conn
	begin() error
	commit() error
	rollback() error
	savepoint() error
	releaseSavepoint() error
	rollbackToSavepoint() error
	close() error
	sqliteconn.Progress
}

// sqliteConn is the true one.
type sqliteConn struct{ *sqliteconn.Conn }

func (c *sqliteConn) begin() error            { return c.Run("BEGIN IMMEDIATE") }
func (c *sqliteConn) commit() error           { return c.Run("COMMIT") }
func (c *sqliteConn) rollback() error         { return c.Run("ROLLBACK") }
func (c *sqliteConn) savepoint() error        { return c.Run("SAVEPOINT member") }
func (c *sqliteConn) releaseSavepoint() error { return c.Run("RELEASE member") }

// rollbackToSavepoint also removes the savepoint, which ROLLBACK TO keeps.
func (c *sqliteConn) rollbackToSavepoint() error {
	if err := c.Run("ROLLBACK TO member"); err != nil {
		return err
	}
	return c.releaseSavepoint()
}

// Query keeps a failed query from becoming a cursor that is not nil.
func (c *sqliteConn) Query(ctx context.Context, text string, args []any) (cursor, error) {
	rows, err := c.Conn.Query(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (c *sqliteConn) close() error { return translateSQLite(c.Close()) }

// batch is the transactions that share one commit.
type batch struct {
	requests []*request
	at       int  // the one that runs
	exited   bool // the one that runs ended the goroutine
}

// runBatch runs and answers a batch. It returns, unanswered, those that have
// to run again for themselves: after SQLite rolled back everything because of
// one of them, or refused the commit because of one, it is not known which.
func (w *writer) runBatch(b *batch) (again []*request) {
	w.largest.Store(max(w.largest.Load(), int64(len(b.requests))))
	if len(b.requests) == 1 {
		if b.requests[0].hold != nil {
			w.runHold(b)
			return nil
		}
		// Alone, a transaction needs no savepoint.
		w.runAlone(b)
		return nil
	}
	began := w.pacer.Clock.Now()
	if err := w.begin(); err != nil {
		w.answerAll(b.requests, err)
		return nil
	}
	guarded := w.guard > 0
	if guarded {
		w.guard--
	}
	for b.at = range b.requests {
		switch w.runMember(b, guarded) { //nolint:exhaustive // after batchGood comes the next
		case batchGone:
			return w.abandon(b)
		case batchDirty:
			// Usually nothing has to be undone, and a savepoint costs a copy of
			// every page that is changed under it. Now it is needed.
			w.guard = guardedBatches
			_ = w.conn.rollback() // as in abandon
			return w.runBatch(b)
		}
	}
	w.pacer.Ran(len(b.requests), w.pacer.Clock.Now().Sub(began))
	err := w.commit()
	if blames(err) {
		b.at = -1
		return w.abandon(b)
	}
	w.answerAll(b.requests, err)
	return nil
}

// abandon ends what is left of a batch's transaction. It answers the request
// at fault and those that failed anyway, and returns the others.
func (w *writer) abandon(b *batch) (again []*request) {
	// Usually SQLite did so already, and reports that there is none.
	_ = w.conn.rollback()
	for i, r := range b.requests {
		if i == b.at || !r.end.ok() {
			w.answer(r, nil)
			continue
		}
		again = append(again, r)
	}
	return again
}

// guardedBatches is how many batches run with savepoints after one in which a
// transaction had to be undone: such transactions seldom come alone.
const guardedBatches = 32

// batchState is what a transaction leaves of its batch.
type batchState int

const (
	batchGood  batchState = iota
	batchDirty            // it failed, and what it wrote is still there
	batchGone             // the whole transaction of the batch is gone
)

// runMember runs one transaction of a batch, in a savepoint if it is guarded.
func (w *writer) runMember(b *batch, guarded bool) batchState {
	r := b.requests[b.at]
	if !r.start() {
		return batchGood
	}
	if guarded {
		return w.runGuarded(b, r)
	}
	before := w.conn.Writes()
	w.call(b, r)
	switch {
	case r.end.ok():
		return batchGood
	case !w.conn.InTransaction():
		return batchGone
	case w.conn.Writes() != before:
		return batchDirty
	}
	return batchGood
}

func (w *writer) runGuarded(b *batch, r *request) batchState {
	if err := w.conn.savepoint(); err != nil {
		r.end.err = translateSQLite(err)
		return batchGone
	}
	w.call(b, r)
	if !r.end.ok() {
		if w.conn.rollbackToSavepoint() != nil {
			return batchGone
		}
		return batchGood
	}
	if err := w.conn.releaseSavepoint(); err != nil {
		r.end.err = translateSQLite(err)
		return batchGone
	}
	return batchGood
}

// runAlone runs the only transaction of a batch and answers it.
func (w *writer) runAlone(b *batch) {
	r := b.requests[0]
	if !r.start() {
		w.answer(r, nil)
		return
	}
	if err := w.begin(); err != nil {
		w.answer(r, err)
		return
	}
	w.call(b, r)
	if !r.end.ok() {
		// SQLite may have rolled back by itself; either way nothing is kept.
		_ = w.conn.rollback()
		w.answer(r, nil)
		return
	}
	w.answer(r, w.commit())
}

// begin opens a transaction. One that a failing disk kept from being rolled back
// is still open; it ends here, or nothing would ever be written again.
func (w *writer) begin() error {
	err := w.conn.begin()
	if err != nil && w.conn.rollback() == nil {
		err = w.conn.begin()
	}
	return err
}

// start takes a request unless its caller is gone.
func (r *request) start() bool {
	r.end, r.hooks = ending{}, nil
	if r.state.Load() == taken || r.state.CompareAndSwap(queued, taken) {
		r.end.err = r.ctx.Err()
		return r.end.err == nil
	}
	return false
}

func (w *writer) call(b *batch, r *request) {
	tx := &Tx{ctx: r.ctx, engine: SQLite, conn: w.conn, translate: translateSQLite, detached: true}
	b.exited = true
	tx.run(r.fn, &r.end)
	b.exited = false
	r.hooks = tx.hooks
}

// commit makes the open transaction durable.
func (w *writer) commit() error {
	begin := w.pacer.Clock.Now()
	if err := w.counter.Count(w.conn.commit); err != nil {
		// A failed COMMIT may leave the transaction open.
		_ = w.conn.rollback()
		return translateSQLite(err)
	}
	w.pacer.Committed(w.pacer.Clock.Now().Sub(begin))
	w.commits.Add(1)
	return nil
}

// blames reports a refused commit that is the fault of one transaction: a
// constraint that is checked at the end.
func blames(err error) bool {
	var engine *sqliteconn.Error
	return errors.As(err, &engine) && primary(engine.Code()) == lib.SQLITE_CONSTRAINT
}

func (w *writer) answerAll(requests []*request, err error) {
	for _, r := range requests {
		w.answer(r, err)
	}
}

// answer ends a request; err is what happened to it besides its own end.
func (w *writer) answer(r *request, err error) {
	if r.end.ok() && err != nil {
		r.end.err = translateSQLite(err)
	}
	w.transactions.Add(1)
	close(r.done)
}
