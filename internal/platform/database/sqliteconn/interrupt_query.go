package sqliteconn

import (
	"context"
	"errors"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// interruptWith interrupts what runs when the context ends. The returned
// function ends that, and returns when no interrupt can come any more: it would
// hit the next statement.
func (c *Conn) interruptWith(ctx context.Context) (stop func()) {
	db, done := c.db, make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		tls := libc.NewTLS() // that of the connection belongs to another goroutine
		defer tls.Close()
		lib.Xsqlite3_interrupt(tls, db)
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// interrupted replaces the engine's words for an interrupted statement.
func interrupted(ctx context.Context, err error) error {
	var engine *Error
	if ctx.Err() != nil && errors.As(err, &engine) && engine.code == lib.SQLITE_INTERRUPT {
		return ctx.Err()
	}
	return err
}
