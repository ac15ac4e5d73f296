package sqliteconn

import (
	"context"
	"fmt"
	"io"

	"modernc.org/libc"
	// The driver prepares the library for some processors.
	_ "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"stoa.dev/stoa/internal/platform/database/sqliteheap"
)

// Conn is one SQLite connection with its prepared statements. It is used by
// one goroutine at a time.
type Conn struct {
	tls   *libc.TLS
	db    uintptr
	cache cache
	// values are the parameters of the statement that is being bound.
	values []any
	writes int64
}

// Open opens a file, which it creates if need be, and applies pragmas such as
// "synchronous(FULL)" in their order.
func Open(path string, pragmas ...string) (*Conn, error) {
	_ = sqliteheap.Install() // without it the engine is only slower
	c := &Conn{tls: libc.NewTLS(), cache: newCache()}
	if err := c.open(path); err != nil {
		c.tls.Close()
		return nil, err
	}
	if err := c.configure(pragmas); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) open(path string) error {
	name, err := libc.CString(path)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	out := libc.Xcalloc(c.tls, 1, 8)
	if out == 0 {
		return errNoMemory()
	}
	defer libc.Xfree(c.tls, out)
	// No mutex: one goroutine at a time uses the connection.
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE | lib.SQLITE_OPEN_NOMUTEX
	rc := lib.Xsqlite3_open_v2(c.tls, name, out, flags, 0)
	c.db = pointerAt(out)
	if rc != lib.SQLITE_OK {
		err = c.failure(rc)
		lib.Xsqlite3_close_v2(c.tls, c.db)
	}
	return err
}

func (c *Conn) configure(pragmas []string) error {
	if rc := lib.Xsqlite3_extended_result_codes(c.tls, c.db, 1); rc != lib.SQLITE_OK {
		return c.failure(rc)
	}
	// "x" is an identifier on PostgreSQL; here it must not be a string.
	for _, option := range []int32{lib.SQLITE_DBCONFIG_DQS_DDL, lib.SQLITE_DBCONFIG_DQS_DML} {
		if err := c.switchOff(option); err != nil {
			return err
		}
	}
	for _, pragma := range pragmas {
		if err := c.Script(context.Background(), "PRAGMA "+pragma); err != nil {
			return fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return nil
}

func (c *Conn) switchOff(option int32) error {
	list := libc.Xcalloc(c.tls, 2, 8)
	if list == 0 {
		return errNoMemory()
	}
	defer libc.Xfree(c.tls, list)
	if rc := lib.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(list, int32(0), uintptr(0))); rc != lib.SQLITE_OK {
		return c.failure(rc)
	}
	return nil
}

// Close closes the connection for good. It is called once.
func (c *Conn) Close() error {
	c.cache.drop(func(s *statement) { c.finalize(s) })
	rc := lib.Xsqlite3_close_v2(c.tls, c.db)
	var err error
	if rc != lib.SQLITE_OK {
		err = c.failure(rc)
	}
	c.db = 0
	c.tls.Close()
	return err
}

// Progress is how far the open transaction of a connection came.
type Progress interface {
	Writes() int64
	InTransaction() bool
}

// Writes grows with every statement that succeeded and may have changed the
// file. A transaction during which it did not grow has nothing to undo.
func (c *Conn) Writes() int64 { return c.writes }

// InTransaction reports whether a transaction is open: SQLite rolls one back by
// itself when the disk fails.
func (c *Conn) InTransaction() bool { return lib.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

// HasLog reports whether the file says that it is written through a log: both of its
// version numbers are 2.
func HasLog(f io.ReaderAt) bool {
	const versions, logged = 18, 2
	var header [2]byte
	_, err := f.ReadAt(header[:], versions)
	return err == nil && header[0] == logged && header[1] == logged
}
