package pgpool

import (
	"context"
	"database/sql"
	"hash/fnv"
)

// migrationLock is the advisory lock of migrating processes.
const migrationLock = 0x73746f61 // "stoa"

// LockMigrations waits until no other process migrates. The lock is held by an open
// transaction on a reading connection and not by a session, because behind a pooler a
// session is another one for each transaction; it dies with the connection.
func (p *Pools) LockMigrations(ctx context.Context) (unlock func() error, err error) {
	tx, err := p.Reading.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		_ = tx.Rollback() // err says what failed
		return nil, err
	}
	return tx.Rollback, nil
}

// LockKey maps a key to PostgreSQL's lock numbers. Two keys that collide only
// wait for each other.
func LockKey(key string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	return int64(h.Sum64())
}
