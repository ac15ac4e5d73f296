package pgpool

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTimeout = 5 * time.Second
	// idleTime is how long an unused connection is kept.
	idleTime       = 5 * time.Minute
	defaultTimeout = 5 * time.Second
	// pings is how many may wait for an answer at a time: a silent PostgreSQL is asked
	// anew while the last question is still without an answer.
	pings = 6
)

// Options are what Open needs.
type Options struct {
	URL string
	// Connections bounds each of the two pools.
	Connections int
	// Statements bounds the prepared statements of a connection.
	Statements int
	// Timeout is how long a call waits for a PostgreSQL that answers nothing; zero means
	// 5 seconds. After twice as long PostgreSQL ends a writing transaction whose client says
	// nothing, and its locks: the network may have lost the client's end.
	Timeout time.Duration
}

// Pools are the connections to one database. The reading ones refuse to write.
type Pools struct {
	Writing, Reading *sql.DB
	// Pooled says that a pooler gives a connection another session for each
	// transaction: reading statements then need a transaction that says READ ONLY.
	Pooled bool
	// Host is the first of the URL.
	Host  string
	ping  *sql.DB
	trust trust
}

// Open connects once, to see what is there.
func Open(ctx context.Context, o Options) (*Pools, error) {
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// pgx masks the password in its message.
		return nil, fmt.Errorf("database: PostgreSQL URL: %w", err)
	}
	config.StatementCacheCapacity = o.Statements
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "stoa"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	p := &Pools{Host: config.Host}
	config.DialFunc = p.trust.watch(config.DialFunc)
	readOnly := readOnlyConfig(config)
	if p.Pooled, err = pooled(ctx, readOnly); err != nil {
		return p, err
	}
	if p.Pooled {
		readOnly = config
		if config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
			// A prepared statement belongs to a session; a description does not.
			config.DefaultQueryExecMode, config.DescriptionCacheCapacity = pgx.QueryExecModeCacheDescribe, o.Statements
		}
	}
	writing := config.Copy()
	if _, chosen := writing.RuntimeParams[abandonedParameter]; !p.Pooled && !chosen {
		writing.RuntimeParams[abandonedParameter] = strconv.FormatInt(2*cmp.Or(o.Timeout, defaultTimeout).Milliseconds(), 10)
	}
	checks := p.trust.options()
	p.Writing, p.Reading = open(writing, o.Connections, checks...), open(readOnly, o.Connections, checks...)
	p.ping = open(config, pings, checks...)
	p.ping.SetMaxIdleConns(1)
	return p, nil
}

// abandonedParameter bounds how long a transaction waits for its client, in milliseconds.
const abandonedParameter = "idle_in_transaction_session_timeout"

// readOnlyParameter makes the transactions of a session read unless they say otherwise.
const readOnlyParameter = "default_transaction_read_only"

// readOnlyConfig is for connections that refuse to write. The choice of a host looks at
// the server and not at this: a session that may write is asked for with
// target_session_attrs=read-write, and is then told to read.
func readOnlyConfig(c *pgx.ConnConfig) *pgx.ConnConfig {
	c = c.Copy()
	c.RuntimeParams[readOnlyParameter] = "on"
	if validate := c.ValidateConnect; validate != nil {
		c.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
			if err := set(ctx, conn, "off"); err != nil {
				return err
			}
			if err := validate(ctx, conn); err != nil {
				return err
			}
			return set(ctx, conn, "on")
		}
	}
	return c
}

func set(ctx context.Context, conn *pgconn.PgConn, value string) error {
	return conn.Exec(ctx, "SET "+readOnlyParameter+" = "+value).Close()
}

// pooled reports whether a pooler refuses or forgets the parameter of a session.
func pooled(ctx context.Context, readOnly *pgx.ConnConfig) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, readOnly)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && strings.Contains(refused.Message, readOnlyParameter) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var value string
	err = conn.QueryRow(ctx, "SHOW "+readOnlyParameter, pgx.QueryExecModeSimpleProtocol).Scan(&value)
	return value != "on", errors.Join(err, conn.Close(ctx))
}

func open(config *pgx.ConnConfig, connections int, options ...stdlib.OptionOpenDB) *sql.DB {
	pool := stdlib.OpenDB(*config, options...)
	pool.SetMaxOpenConns(connections)
	// As many as may be open: a connection costs more than its memory.
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(idleTime)
	return pool
}

// Ping asks for a sign of life on a connection that nothing else waits for.
func (p *Pools) Ping(ctx context.Context) error { return p.ping.PingContext(ctx) }

// Close closes every connection.
func (p *Pools) Close() error {
	var failed []error
	for _, pool := range []*sql.DB{p.Writing, p.Reading, p.ping} {
		if pool != nil {
			failed = append(failed, pool.Close())
		}
	}
	return errors.Join(failed...)
}

// Query runs a statement that must not write. The second result gives back what the
// rows hold; nil if nothing.
func (p *Pools) Query(ctx context.Context, text string, args []any) (*sql.Rows, func(), error) {
	if !p.Pooled {
		rows, err := p.Reading.QueryContext(ctx, text, args...)
		return rows, nil, err
	}
	tx, err := p.Reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	end := func() { _ = tx.Rollback() } // nothing was written
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		end()
		return nil, nil, err
	}
	return rows, end, nil
}
