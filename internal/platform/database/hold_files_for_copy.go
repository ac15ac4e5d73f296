package database

import (
	"context"
	"errors"
)

// HoldFiles runs fn while nothing is written, so that fn can copy the database's
// files. whole reports whether the file alone has everything: the log beside it
// need not be copied then. On PostgreSQL, whose files are elsewhere, it is a
// transaction.
func (d *DB) HoldFiles(ctx context.Context, fn func(whole bool) error) error {
	s, ok := d.back.(*sqliteDB)
	if !ok {
		return d.Write(ctx, func(context.Context, *Tx) error { return fn(false) })
	}
	if ctx.Value(writing{}) != nil {
		return ErrNested
	}
	// In the writer's goroutine: no transaction is open and none begins meanwhile.
	return s.writer.await(&request{ctx: ctx, hold: fn, done: make(chan struct{})})
}

// runHold brings the file up to date as far as readers let it, and runs the
// request's function.
func (w *writer) runHold(b *batch) {
	r := b.requests[0]
	if !r.start() {
		w.answer(r, nil)
		return
	}
	whole, err := checkpoint(r.ctx, w.conn)
	if err != nil {
		w.answer(r, err)
		return
	}
	r.fn = func(*Tx) error { return r.hold(whole) }
	w.call(b, r)
	w.answer(r, nil)
}

// checkpoint copies the log into the file and reports whether all of it was
// copied: a reader may need what is there.
func checkpoint(ctx context.Context, c conn) (whole bool, err error) {
	rows, err := c.Query(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(PASSIVE)", nil)
	if err != nil {
		return false, err
	}
	var busy, log, copied int
	if rows.Next() {
		err = rows.Scan(&busy, &log, &copied)
	}
	err = errors.Join(err, rows.Err(), rows.Close())
	return busy == 0 && log == copied, err
}
