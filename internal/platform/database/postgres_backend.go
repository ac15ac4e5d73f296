//go:build !small

package database

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database/liveness"
	"stoa.dev/stoa/internal/platform/database/pgpool"
	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

// postgresDB is the engine several processes share. Reading has a pool of its
// own whose connections refuse to write, as on SQLite.
type postgresDB struct {
	*pgpool.Pools
	opts Options

	transactions, commits, retries atomic.Int64
}

func checkPostgres(url string) error { return pgpool.CheckURL(url) }

func openPostgres(ctx context.Context, o Options) (backend, *liveness.Monitor, error) {
	pools, err := pgpool.Open(ctx, pgpool.Options{
		URL: o.URL, Connections: o.Connections, Statements: sqliteconn.MaxStatements, Timeout: o.Timeout,
	})
	if err != nil && pools == nil {
		return nil, nil, err
	}
	d := &postgresDB{Pools: pools, opts: o}
	if err == nil {
		err = d.ping(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open PostgreSQL at %s: %w", pools.Host, translatePostgres(err)), d.close())
	}
	standing := &Error{Kind: ErrUnavailable, cause: errors.New("PostgreSQL stands still: it answers nothing")}
	return d, liveness.Start(liveness.Options{Ping: pools.Ping, Limit: o.Timeout, Err: standing, Silent: d.Distrust}), nil
}

func (d *postgresDB) read(ctx context.Context, fn func(*Tx) error) error {
	t := pgTx{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", reading: true, fn: fn}
	_, err := once(ctx, d.Reading, t)
	return err
}

func (d *postgresDB) query(ctx context.Context, text string, args []any) (*Rows, error) {
	rows, end, err := d.Query(ctx, text, args)
	if err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, ctxErr
		}
		return nil, translatePostgres(err)
	}
	release := func(error) {
		if end != nil {
			end()
		}
	}
	return &Rows{ctx: ctx, rows: rows, translate: translatePostgres, release: release}, nil
}

// migrating holds a lock that outlives each of the transactions.
func (d *postgresDB) migrating(ctx context.Context, fn func(apply applyFunc) error) (err error) {
	unlock, err := d.LockMigrations(ctx)
	if err != nil {
		return translatePostgres(err)
	}
	defer func() { err = errors.Join(err, translatePostgres(unlock())) }()
	return fn(func(ctx context.Context, fn func(*Tx) error) error {
		_, err := once(ctx, d.Writing, pgTx{begin: "BEGIN", fn: fn})
		return err
	})
}

func (d *postgresDB) ping(ctx context.Context) error {
	if err := d.Writing.PingContext(ctx); err != nil {
		return translatePostgres(err)
	}
	return translatePostgres(d.Reading.PingContext(ctx))
}

func (d *postgresDB) stats() Stats {
	s := d.Reading.Stats()
	return Stats{
		Transactions: d.transactions.Load(),
		Commits:      d.commits.Load(),
		LargestBatch: 1,
		Retries:      d.retries.Load(),
		ReadersOpen:  int64(s.OpenConnections),
		ReadersBusy:  int64(s.InUse),
	}
}

func (d *postgresDB) close() error { return d.Pools.Close() }
