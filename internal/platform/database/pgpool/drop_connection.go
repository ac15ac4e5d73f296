package pgpool

import (
	"database/sql"
	"database/sql/driver"
)

// Drop closes a connection for good instead of returning it to its pool.
func Drop(c *sql.Conn) {
	// The reported error is the one handed in, which is how database/sql is
	// told to drop a connection.
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
}
