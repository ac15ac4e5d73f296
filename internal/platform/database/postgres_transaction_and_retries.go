//go:build !small

package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/pgpool"
)

// pgConn is a PostgreSQL connection inside a transaction. pgx prepares and
// keeps the statements. The transaction is begun and ended by text and not by
// database/sql, which would tie the commit to the caller's context: cutting
// that off leaves the outcome unknown.
type pgConn struct{ conn *sql.Conn }

func (c pgConn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	res, err := c.conn.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (c pgConn) Query(ctx context.Context, text string, args []any) (cursor, error) {
	rows, err := c.conn.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// Script uses the simple protocol, the only one with several statements.
func (c pgConn) Script(ctx context.Context, text string) error {
	_, err := c.conn.ExecContext(ctx, text, pgx.QueryExecModeSimpleProtocol)
	return err
}

// pgTx is what a transaction begins with and does.
type pgTx struct {
	begin   string // one message, which may have several statements
	reading bool
	fn      func(*Tx) error
}

// once runs t on a connection of the pool.
func once(ctx context.Context, pool *sql.DB, t pgTx) (hooks []func(), err error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, translatePostgres(err)
	}
	// Giving a connection back fails only if it is gone already.
	defer func() { _ = c.Close() }()
	return t.run(ctx, c)
}

// run runs the transaction and returns what is to be called after the commit.
func (t pgTx) run(ctx context.Context, c *sql.Conn) (hooks []func(), err error) {
	ended := false
	// Deferred, because fn may end the goroutine.
	defer func() {
		if !ended {
			rollbackPostgres(ctx, c)
		}
	}()
	if _, err := c.ExecContext(ctx, t.begin, pgx.QueryExecModeSimpleProtocol); err != nil {
		// Its last statement may have failed with the transaction open.
		return nil, translatePostgres(err)
	}
	tx := &Tx{ctx: ctx, engine: Postgres, conn: pgConn{conn: c}, translate: translatePostgres, reading: t.reading}
	var end ending
	tx.run(t.fn, &end)
	switch {
	case end.panicked != nil:
		panic(end.panicked)
	case retryable(tx.failed):
		// fn may have made another error of it; the cause decides.
		return nil, tx.failed
	case end.err != nil:
		return nil, end.err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	ended = true
	return tx.hooks, commitPostgres(ctx, c)
}

// endTimeout bounds a commit or rollback, which the caller cannot interrupt.
const endTimeout = 5 * time.Second

// commitPostgres tells apart the two ways a commit fails: refused, which is
// certain, and cut off, which is not.
func commitPostgres(ctx context.Context, c *sql.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	_, err := c.ExecContext(ctx, "COMMIT")
	if err == nil {
		return nil
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !errors.Is(postgresKind(refused.Code), ErrUnavailable) {
		return translatePostgres(err)
	}
	pgpool.Drop(c)
	return &Error{Kind: ErrUnknown, cause: err}
}

// rollbackPostgres ends a transaction without effect. A connection that cannot
// even do that is thrown away, which has the same effect.
func rollbackPostgres(ctx context.Context, c *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if _, err := c.ExecContext(ctx, "ROLLBACK"); err != nil {
		pgpool.Drop(c)
	}
}

// maxAttempts bounds how often a transaction is run. With the pauses below the
// last attempt comes about four seconds after the first: on a busy machine the
// transactions that meet on one row get through in that time, and a request has
// not yet been given up.
const maxAttempts = 24

func (d *postgresDB) write(ctx context.Context, key string, fn func(*Tx) error) error {
	t := pgTx{begin: "BEGIN ISOLATION LEVEL SERIALIZABLE", fn: fn}
	if key != "" {
		// In one message: a round trip costs as much as what it asks for.
		t.begin = fmt.Sprintf("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock('%d')", pgpool.LockKey(key))
	}
	hooks, err := d.retry(ctx, func() ([]func(), error) { return once(ctx, d.Writing, t) })
	d.transactions.Add(1)
	if err != nil {
		return err
	}
	d.commits.Add(1)
	for _, hook := range hooks {
		hook()
	}
	return nil
}

// retry runs a transaction again while PostgreSQL asks for it.
func (d *postgresDB) retry(ctx context.Context, once func() ([]func(), error)) ([]func(), error) {
	for attempt := 1; ; attempt++ {
		hooks, err := once()
		if !retryable(err) || attempt == maxAttempts {
			return hooks, err
		}
		d.retries.Add(1)
		if err := clock.Sleep(ctx, d.opts.Pace, d.pause(attempt)); err != nil {
			return nil, err
		}
	}
}

// pause doubles from 1 to 256 milliseconds and is drawn from its upper half,
// so that those who collided do not meet again.
func (d *postgresDB) pause(attempt int) time.Duration {
	ceiling := time.Millisecond << min(attempt-1, 8)
	return ceiling/2 + time.Duration(d.opts.IDs.Int64N(int64(ceiling/2)+1))
}
