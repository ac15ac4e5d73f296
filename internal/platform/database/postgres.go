package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"stoa.dev/stoa/internal/platform/database/prepared"
)

// postgresDB is the engine several processes share. Reading has a pool of its
// own whose connections refuse to write, as on SQLite.
type postgresDB struct {
	writing, reading *sql.DB
	opts             Options

	transactions, commits, retries atomic.Int64
}

func openPostgres(ctx context.Context, o Options) (backend, error) {
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// pgx masks the password in its message.
		return nil, fmt.Errorf("database: PostgreSQL URL: %w", err)
	}
	config.StatementCacheCapacity = prepared.MaxStatements
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "stoa"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	readOnly := config.Copy()
	readOnly.RuntimeParams["default_transaction_read_only"] = "on"

	d := &postgresDB{writing: openPgPool(config, o), reading: openPgPool(readOnly, o), opts: o}
	if err := d.ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open PostgreSQL at %s: %w", config.Host, err), d.close())
	}
	return d, nil
}

const (
	connectTimeout = 5 * time.Second
	// idleTime is how long an unused connection is kept.
	idleTime = 5 * time.Minute
)

func openPgPool(config *pgx.ConnConfig, o Options) *sql.DB {
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(o.Connections)
	// As many as may be open: a connection costs more than its memory.
	pool.SetMaxIdleConns(o.Connections)
	pool.SetConnMaxIdleTime(idleTime)
	return pool
}

func (d *postgresDB) read(ctx context.Context, fn func(*Tx) error) error {
	t := pgTx{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", reading: true, fn: fn}
	_, err := once(ctx, d.reading, t)
	return err
}

func (d *postgresDB) query(ctx context.Context, text string, args []any) (*Rows, error) {
	rows, err := d.reading.QueryContext(ctx, text, args...)
	if err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, ctxErr
		}
		return nil, translatePostgres(err)
	}
	return &Rows{ctx: ctx, rows: rows, translate: translatePostgres, release: func(error) {}}, nil
}

// migrationLock is the advisory lock of migrating processes.
const migrationLock = 0x73746f61 // "stoa"

// migrating holds a lock of the session, so that the lock outlives each of the
// transactions and dies with the connection.
func (d *postgresDB) migrating(ctx context.Context, fn func(apply applyFunc) error) (err error) {
	c, err := d.writing.Conn(ctx)
	if err != nil {
		return translatePostgres(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return translatePostgres(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if _, unlockErr := c.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", migrationLock); unlockErr != nil {
			prepared.Drop(c) // The lock goes with the connection.
			err = errors.Join(err, translatePostgres(unlockErr))
		}
	}()
	return fn(func(ctx context.Context, fn func(*Tx) error) error {
		_, err := pgTx{begin: "BEGIN", fn: fn}.run(ctx, c)
		return err
	})
}

func (d *postgresDB) ping(ctx context.Context) error {
	if err := d.writing.PingContext(ctx); err != nil {
		return translatePostgres(err)
	}
	return translatePostgres(d.reading.PingContext(ctx))
}

func (d *postgresDB) stats() Stats {
	s := d.reading.Stats()
	return Stats{
		Transactions: d.transactions.Load(),
		Commits:      d.commits.Load(),
		LargestBatch: 1,
		Retries:      d.retries.Load(),
		ReadersOpen:  int64(s.OpenConnections),
		ReadersBusy:  int64(s.InUse),
	}
}

func (d *postgresDB) close() error {
	return errors.Join(d.writing.Close(), d.reading.Close())
}
