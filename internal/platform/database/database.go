package database

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database/beforecommit"
	"stoa.dev/stoa/internal/platform/database/liveness"
	"stoa.dev/stoa/internal/platform/database/refusedwrites"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine Engine
	back   backend
	opts   Options
	// live gives up on a PostgreSQL that stands still; nil on SQLite.
	live *liveness.Monitor
}

// backend is what the two engines do differently.
type backend interface {
	// write runs fn in a transaction and returns once it is durable. key is
	// empty for full isolation.
	write(ctx context.Context, key string, fn func(*Tx) error) error
	read(ctx context.Context, fn func(*Tx) error) error
	query(ctx context.Context, sql string, args []any) (*Rows, error)
	// migrating calls fn while no other process migrates; apply runs one
	// transaction under that lock.
	migrating(ctx context.Context, fn func(apply applyFunc) error) error
	ping(ctx context.Context) error
	stats() Stats
	close() error
}

type applyFunc func(ctx context.Context, fn func(*Tx) error) error

// Open opens the database named by o, creating the SQLite file if need be.
func Open(ctx context.Context, o Options) (*DB, error) {
	o = o.withDefaults()
	d := &DB{opts: o}
	var err error
	switch scheme := urlScheme(o.URL); scheme {
	case "", "sqlite":
		d.engine = SQLite
		d.back, err = openSQLite(o)
	case "postgres", "postgresql":
		d.engine = Postgres
		d.back, d.live, err = openPostgres(ctx, o)
	default:
		err = fmt.Errorf("database: URL scheme %q is unknown; use postgres://… or sqlite:PATH, "+
			"or leave the URL empty for SQLite in the data folder", scheme)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// urlScheme also knows PostgreSQL's keyword form ("host=/run/postgresql
// dbname=stoa"), which has no scheme.
func urlScheme(url string) string {
	if scheme, _, ok := strings.Cut(url, ":"); ok && !strings.ContainsAny(scheme, "= /") {
		return scheme
	}
	if strings.Contains(url, "=") {
		return "postgres"
	}
	return url
}

// Close finishes the transactions that are queued and closes all connections.
// Everything after it answers ErrClosed.
func (d *DB) Close() error {
	d.live.Close()
	return d.back.close()
}

// Engine is the product behind d.
func (d *DB) Engine() Engine { return d.engine }

// Ping asks the database for a sign of life.
func (d *DB) Ping(ctx context.Context) error { return d.call(ctx, CallPing, d.back.ping) }

// ReleaseMemory gives back memory that only makes the next calls faster, for a database
// that is not used for a while. PostgreSQL has its own.
func (d *DB) ReleaseMemory(ctx context.Context) error {
	if s, ok := d.back.(*sqliteDB); ok {
		return s.releaseMemory(ctx)
	}
	return nil
}

// Revision changes with every commit. It is not known on PostgreSQL, where other
// processes commit too, nor while a commit is under way.
func (d *DB) Revision() (n uint64, known bool) {
	if s, ok := d.back.(*sqliteDB); ok {
		return s.writer.counter.Revision()
	}
	return 0, false
}

// Stats counts what happened since Open.
func (d *DB) Stats() Stats {
	s := d.back.stats()
	s.Engine = d.engine
	return s
}

// Stats counts what happened since Open.
type Stats struct {
	Engine       Engine
	Transactions int64 // write transactions answered, failed ones included
	Commits      int64 // commits made durable; on SQLite shared by many transactions
	LargestBatch int64 // most transactions that shared one commit
	Queued       int64 // transactions waiting for the SQLite writer right now
	// Writing is how long the SQLite writer ran transactions and committed them: what
	// no second processor makes shorter.
	Writing     time.Duration
	Retries     int64 // transactions run again after a serialization failure
	ReadersOpen int64 // reading connections
	ReadersBusy int64 // of these in use
}

// TxFunc is what runs inside a transaction. It uses the context it is given and
// not the one around it, so that a Write inside a Write is refused.
type TxFunc = func(ctx context.Context, tx *Tx) error

// Write runs fn in a transaction and returns after its commit is durable, or
// with fn's error after everything fn did was rolled back. See the package
// comment for what fn must not do.
func (d *DB) Write(ctx context.Context, fn TxFunc) error { return d.write(ctx, "", fn) }

// WriteKeyed is Write with isolation per key: two transactions with the same
// key exclude each other, others do not disturb them. Prefer it where the key
// covers all rows fn decides on: on PostgreSQL nothing has to be retried then.
func (d *DB) WriteKeyed(ctx context.Context, key string, fn TxFunc) error {
	if key == "" {
		return fmt.Errorf("database: WriteKeyed needs a key; use Write without one")
	}
	return d.write(ctx, key, fn)
}

func (d *DB) write(ctx context.Context, key string, fn TxFunc) error {
	if ctx.Value(writing{}) != nil {
		return ErrNested
	}
	if err := refusedwrites.Err(ctx); err != nil {
		return err
	}
	return d.call(ctx, CallWrite, func(ctx context.Context) error {
		inside := context.WithValue(ctx, writing{}, true)
		return d.back.write(ctx, key, func(tx *Tx) error { return beforecommit.Run(inside, tx, fn) })
	})
}

// writing marks the context that the function of a Write is given: a second
// Write under it would, on SQLite, wait for the goroutine it runs in.
type writing struct{}

// Read runs fn on one consistent snapshot that cannot be written to. Its
// statements are interrupted when their context ends.
func (d *DB) Read(ctx context.Context, fn TxFunc) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.call(ctx, CallRead, func(ctx context.Context) error {
		return d.back.read(ctx, func(tx *Tx) error { return fn(ctx, tx) })
	})
}

// Exec runs one statement in a write transaction of its own.
func (d *DB) Exec(ctx context.Context, sql string, args ...any) (Result, error) {
	var res Result
	err := d.Write(ctx, func(ctx context.Context, tx *Tx) error {
		var err error
		res, err = tx.Exec(ctx, sql, args...)
		return err
	})
	return res, err
}

// Query reads rows. A statement that writes answers ErrReadOnly. On SQLite the
// context ends it between two rows, not within a statement: what may run long
// goes into Read.
func (d *DB) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	return d.query(ctx, sql, args)
}

// QueryRow reads one row. A statement that writes answers ErrReadOnly.
func (d *DB) QueryRow(ctx context.Context, sql string, args ...any) *Row {
	return &Row{ctx: ctx, query: d.query, sql: sql, args: args}
}

func (d *DB) query(ctx context.Context, sql string, args []any) (*Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkArgs(args); err != nil {
		return nil, err
	}
	return d.watchedQuery(ctx, sql, args)
}

// ForUpdateSkipLocked ends a SELECT that claims rows: other claimers pass over
// rows claimed by an open transaction. SQLite has one writer and needs nothing.
func (d *DB) ForUpdateSkipLocked() string { return forUpdateSkipLocked(d.engine) }

func forUpdateSkipLocked(e Engine) string {
	if e == Postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}
