// Package database is the one handle to the durable state of a world, on
// SQLite in the data folder or on PostgreSQL.
//
// It owns: opening and closing, the single SQLite writer with its group
// commit, the reader connections, transactions with their retries, the kinds
// of errors, how times are stored, migrations, and the lock on the data folder.
// It does not own any table but stoa_migrations, and no SQL but its own.
//
// # One text for both engines
//
// Statements are constant texts in the common subset of both engines with
// parameters $1…$n; a test pins that both drivers bind them by number. Each
// text is prepared once per connection and kept. What the engines spell
// differently has a name here (ForUpdateSkipLocked) or a macro in migration
// files ({{text}}, {{blob}}, {{bool}}, {{serial}}).
//
// # Writes
//
// On SQLite one goroutine owns the only writing connection. It takes every
// queued transaction, runs one after the other, commits once with
// synchronous=FULL and only then answers all of them: one fsync is shared by
// everybody who waited for the one before. When one of them fails after it wrote,
// all are rolled back and run again, each in its own savepoint. On PostgreSQL a transaction is
// SERIALIZABLE and retried, or READ COMMITTED under a lock on a key.
//
// The function given to Write
//
//   - may run more than once, so it changes nothing but through its Tx;
//   - runs in another goroutine on SQLite, while all other writers wait, so it
//     does no network call and no slow computation;
//   - must not open a second write transaction: that is refused on both
//     engines with ErrNested, because on SQLite it could never end;
//   - is over after the first failed statement, on both engines: a caller
//     that expects a failure wraps it in Tx.Savepoint or uses ON CONFLICT.
//
// # Reads
//
// Query and QueryRow on a DB, and everything inside Read, use connections that
// cannot write and never wait for the writer. A statement that writes answers
// ErrReadOnly there, INSERT … RETURNING included. A query outside of Read is
// the fast path and is not interrupted within a statement on SQLite.
package database
