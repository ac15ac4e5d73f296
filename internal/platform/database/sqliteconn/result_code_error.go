package sqliteconn

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Error is a result code of SQLite with its message.
type Error struct {
	message string
	code    int
}

// Error implements error.
func (e *Error) Error() string { return e.message }

// Code is the extended result code.
func (e *Error) Code() int { return e.code }

// failure is what SQLite says about the call that answered rc.
func (c *Conn) failure(rc int32) error {
	kind := libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))
	if c.db == 0 {
		return &Error{message: fmt.Sprintf("%s (%d)", kind, rc), code: int(rc)}
	}
	message := libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db))
	if message == kind {
		return &Error{message: fmt.Sprintf("%s (%d)", kind, rc), code: int(rc)}
	}
	return &Error{message: fmt.Sprintf("%s: %s (%d)", kind, message, rc), code: int(rc)}
}

func errNoMemory() error {
	return &Error{message: "out of memory", code: lib.SQLITE_NOMEM}
}
