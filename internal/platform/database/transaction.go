package database

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"

	"stoa.dev/stoa/internal/platform/database/parameter"
)

// conn is a connection inside a transaction, on either engine. Its errors are the engine's own.
type conn interface {
	Exec(ctx context.Context, text string, args []any) (int64, error)
	Query(ctx context.Context, text string, args []any) (cursor, error)
	// Script runs several statements without parameters.
	Script(ctx context.Context, text string) error
}

// checkArgs refuses parameters that the engines would treat differently.
func checkArgs(args []any) error {
	if i, reason := parameter.Refused(args); reason != "" {
		return &Error{Kind: ErrInvalid, cause: fmt.Errorf("parameter $%d: %s", i+1, reason)}
	}
	return nil
}

// Tx is an open transaction. It belongs to the function it was given to and to
// its goroutine, and is over when that function returns.
type Tx struct {
	ctx       context.Context // of Write or Read; when it ends, so does the transaction
	engine    Engine
	conn      conn
	translate func(error) error
	// detached statements are not interrupted by their context: interrupting
	// SQLite's writer could roll back the transactions of others.
	detached bool
	reading  bool // a snapshot: writing elsewhere meanwhile is allowed

	failed error // the first failure; nothing runs after it
	done   bool
	depth  int // of open savepoints
	open   []*Rows
	hooks  []func()
}

// Engine is the product behind the transaction.
func (tx *Tx) Engine() Engine { return tx.engine }

// ForUpdateSkipLocked is the same as on DB.
func (tx *Tx) ForUpdateSkipLocked() string { return forUpdateSkipLocked(tx.engine) }

// OnCommit registers f to run after the commit is durable and before Write
// returns, in the goroutine that called Write. It does not run on rollback.
func (tx *Tx) OnCommit(f func()) { tx.hooks = append(tx.hooks, f) }

// Exec runs one statement.
func (tx *Tx) Exec(ctx context.Context, sql string, args ...any) (Result, error) {
	if err := tx.ready(ctx, args); err != nil {
		return Result{}, err
	}
	n, err := tx.conn.Exec(tx.statementContext(ctx), sql, args)
	if err != nil {
		return Result{}, tx.fail(ctx, err)
	}
	return Result{RowsAffected: n}, nil
}

// Query runs a statement that returns rows; it may write (RETURNING).
func (tx *Tx) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	return tx.query(ctx, sql, args)
}

// QueryRow is Query for at most one row. It runs when the row is scanned.
func (tx *Tx) QueryRow(ctx context.Context, sql string, args ...any) *Row {
	return &Row{ctx: ctx, query: tx.query, sql: sql, args: args}
}

func (tx *Tx) query(ctx context.Context, sql string, args []any) (*Rows, error) {
	if err := tx.ready(ctx, args); err != nil {
		return nil, err
	}
	rows, err := tx.conn.Query(tx.statementContext(ctx), sql, args)
	if err != nil {
		return nil, tx.fail(ctx, err)
	}
	r := &Rows{ctx: ctx, rows: rows, translate: tx.translate}
	r.release = func(err error) {
		if err != nil {
			_ = tx.fail(ctx, err) // Rows reports it
		}
		tx.forget(r)
	}
	tx.open = append(tx.open, r)
	return r, nil
}

// script runs a migration file.
func (tx *Tx) script(ctx context.Context, text string) error {
	if err := tx.ready(ctx, nil); err != nil {
		return err
	}
	if err := tx.conn.Script(tx.statementContext(ctx), text); err != nil {
		return tx.fail(ctx, err)
	}
	return nil
}

// Savepoint runs fn so that its failure undoes only what fn did and leaves the
// transaction usable: for a statement that is expected to fail now and then.
func (tx *Tx) Savepoint(ctx context.Context, fn func() error) error {
	name := "inner_" + strconv.Itoa(tx.depth)
	if _, err := tx.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	hooks, open := len(tx.hooks), len(tx.open)
	tx.depth++
	err := fn()
	tx.depth--
	tx.closeRows(open)
	if err == nil && tx.failed == nil {
		_, err = tx.Exec(ctx, "RELEASE SAVEPOINT "+name)
		return err
	}
	if err == nil {
		err = tx.failed
	}
	tx.hooks = tx.hooks[:hooks]
	return tx.undo(ctx, name, err)
}

// undo rolls back to a savepoint. If that is impossible, or the transaction
// has to be run again anyway, it stays failed.
func (tx *Tx) undo(ctx context.Context, name string, cause error) error {
	failed := tx.failed
	if failed != nil && (tx.ctx.Err() != nil || retryable(failed)) {
		return cause
	}
	tx.failed = nil
	for _, text := range []string{"ROLLBACK TO SAVEPOINT " + name, "RELEASE SAVEPOINT " + name} {
		if _, err := tx.conn.Exec(tx.statementContext(ctx), text, nil); err != nil {
			if tx.failed = failed; failed == nil {
				tx.failed = tx.translate(err)
			}
			return cause
		}
	}
	return cause
}

// ready refuses a statement when the transaction is over in any way.
func (tx *Tx) ready(ctx context.Context, args []any) error {
	switch {
	case tx.done:
		return errTxDone
	case tx.failed != nil:
		return tx.failed
	}
	err := ctx.Err()
	if err == nil {
		err = tx.ctx.Err()
	}
	if err == nil {
		err = checkArgs(args)
	}
	if err != nil {
		tx.failed = err
	}
	return err
}

func (tx *Tx) statementContext(ctx context.Context) context.Context {
	if tx.detached {
		return context.Background()
	}
	return ctx
}

// fail ends the transaction with err, which it translates.
func (tx *Tx) fail(ctx context.Context, err error) error {
	err = tx.translate(err)
	if ctxErr := ctx.Err(); ctxErr != nil && !tx.detached {
		// The driver's wording of an interrupted statement says less.
		err = ctxErr
	}
	if tx.failed == nil {
		tx.failed = err
	}
	return err
}

// finish closes what fn left open and combines its error with the
// transaction's: a failed statement cannot be committed away.
func (tx *Tx) finish(err error) error {
	tx.closeRows(0)
	tx.done = true
	if err == nil {
		err = tx.failed
	}
	return err
}

func (tx *Tx) closeRows(from int) {
	for len(tx.open) > from {
		// A failure of the statement is kept in tx.failed.
		_ = tx.open[len(tx.open)-1].Close()
	}
}

func (tx *Tx) forget(r *Rows) {
	for i, o := range tx.open {
		if o == r {
			tx.open = append(tx.open[:i], tx.open[i+1:]...)
			return
		}
	}
}

// ending says how a transaction function ended.
type ending struct {
	err      error
	panicked *Panic
	exited   bool // runtime.Goexit, as testing's FailNow does
}

// run calls fn and survives its panic. If fn ends its goroutine, end.exited is
// set and the deferred calls of the goroutine go on.
func (tx *Tx) run(fn func(*Tx) error, end *ending) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			end.panicked = &Panic{Value: v, Stack: debug.Stack()}
		} else {
			end.exited = true
		}
		// Nothing fn left open matters any more.
		_ = tx.finish(nil)
	}()
	err := fn(tx)
	returned = true
	end.err = tx.finish(err)
}

func (e *ending) ok() bool { return e.err == nil && e.panicked == nil && !e.exited }
