package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

// sqliteDB is the embedded engine: one writing connection, several reading.
type sqliteDB struct {
	file    *os.File // held, and locked where no data folder is
	writer  *writer
	readers *readers
}

func openSQLite(o Options) (backend, error) {
	path, err := sqliteconn.Path(o.URL, o.Dir, FileName)
	if err != nil {
		return nil, err
	}
	f, err := makePrivate(path)
	if err != nil {
		return nil, err
	}
	if err := claimFile(f, o.Dir); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var r *readers
	// A writer that turns WAL on comes first. Where it is on, both read the schema at
	// the same time, which takes longer than everything else here.
	if sqliteconn.HasLog(f) {
		r = openReaders(path, o)
	}
	w, err := openWriter(path, o)
	if err != nil {
		if r != nil {
			err = errors.Join(err, r.pool.Close())
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, translateSQLite(err)), f.Close())
	}
	if r == nil {
		r = openReaders(path, o)
	}
	return &sqliteDB{file: f, writer: w, readers: r}, nil
}

// makePrivate makes the file before SQLite does, which would let everybody read
// it. The files beside it get the same mode.
func makePrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return f, nil
}

// claimFile keeps other processes out of a file that no data folder's lock
// protects: a second one, with a folder of its own, would take the jobs of the
// first for those of a dead one. SQLite's own locks are of another kind.
func claimFile(f *os.File, folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil || filepath.Dir(f.Name()) == folder {
		return err
	}
	err = folderlock.File(f)
	if errors.Is(err, folderlock.ErrLocked) {
		return fmt.Errorf("%w: %s is in use by another process; several processes need PostgreSQL", ErrBusy, f.Name())
	}
	return err
}

// busyTimeout is how long SQLite waits for a lock. Only another process can
// hold one, and the folder lock keeps those away except for backup tools.
const busyTimeout = "busy_timeout(5000)"

// openSQLiteConn opens a connection with the pragmas every one gets, and its own.
func openSQLiteConn(path string, pragmas ...string) (*sqliteConn, error) {
	// busy_timeout first: the others may already meet a lock.
	pragmas = append([]string{busyTimeout, "foreign_keys(1)", "trusted_schema(0)"}, pragmas...)
	c, err := sqliteconn.Open(path, pragmas...)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{Conn: c}, nil
}

func (d *sqliteDB) write(ctx context.Context, _ string, fn func(*Tx) error) error {
	return d.writer.write(ctx, fn)
}

func (d *sqliteDB) read(ctx context.Context, fn func(*Tx) error) error {
	return d.readers.read(ctx, fn)
}

func (d *sqliteDB) query(ctx context.Context, text string, args []any) (*Rows, error) {
	return d.readers.query(ctx, text, args)
}

// migrating needs no lock: each transaction holds the only write lock of the
// file and looks again at what is applied.
func (d *sqliteDB) migrating(_ context.Context, fn func(apply applyFunc) error) error {
	return fn(d.writer.write)
}

// ping asks both sides: the writer by a transaction that changes nothing.
func (d *sqliteDB) ping(ctx context.Context) error {
	if err := d.writer.write(ctx, func(tx *Tx) error { return selectOne(ctx, tx) }); err != nil {
		return err
	}
	return d.read(ctx, func(tx *Tx) error { return selectOne(ctx, tx) })
}

func selectOne(ctx context.Context, tx *Tx) error {
	var one int
	return tx.QueryRow(ctx, "SELECT 1").Scan(&one)
}

// releaseMemory gives back what connections keep to be faster. The writer does it in a
// transaction that changes nothing.
func (d *sqliteDB) releaseMemory(ctx context.Context) error {
	const shrink = "PRAGMA shrink_memory"
	return errors.Join(
		d.readers.pool.Trim(func(c *sqliteConn) error { return c.Script(ctx, shrink) }),
		d.writer.write(ctx, func(tx *Tx) error { _, err := tx.Exec(ctx, shrink); return err }))
}

func (d *sqliteDB) stats() Stats {
	s := d.writer.stats()
	s.ReadersOpen, s.ReadersBusy = d.readers.pool.Count()
	return s
}

// close ends the writer last, so that it may fold the log into the file.
func (d *sqliteDB) close() error {
	err := errors.Join(d.readers.pool.Close(), d.writer.close())
	// Last of all: closing any handle of the file ends SQLite's locks on it.
	if closeErr := folderlock.Close(d.file); !errors.Is(closeErr, os.ErrClosed) {
		err = errors.Join(err, closeErr)
	}
	return err
}
