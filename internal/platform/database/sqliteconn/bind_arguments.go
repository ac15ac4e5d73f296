package sqliteconn

import (
	"database/sql/driver"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// bind gives s its parameters. Texts and blobs are copied into the memory of
// the statement, which SQLite reads until the statement is reset.
func (c *Conn) bind(s *statement, args []any) error {
	if len(args) != s.parameters {
		return fmt.Errorf("sqliteconn: the statement has %d parameters, and %d were given", s.parameters, len(args))
	}
	if len(args) == 0 {
		return nil
	}
	size, err := c.convert(args)
	defer clear(c.values)
	if err == nil {
		err = c.reserve(s, size)
	}
	if err != nil {
		return err
	}
	at := s.memory
	for i, value := range c.values {
		var rc int32
		if rc, at = c.bindValue(s, int32(i+1), value, at); rc != lib.SQLITE_OK {
			return c.failure(rc)
		}
	}
	return nil
}

// convert brings the arguments into the types SQLite knows, and says how much
// memory they need.
func (c *Conn) convert(args []any) (size int, err error) {
	c.values = c.values[:0]
	size = 1 // an empty blob has an address too
	for i, value := range args {
		switch value.(type) {
		case nil, int, int64, string, []byte, bool, float64:
		default:
			if value, err = driver.DefaultParameterConverter.ConvertValue(value); err != nil {
				return 0, fmt.Errorf("parameter $%d: %w", i+1, err)
			}
		}
		switch v := value.(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
		c.values = append(c.values, value)
	}
	return size, nil
}

// reserve makes sure that s has memory for size bytes.
func (c *Conn) reserve(s *statement, size int) error {
	if size <= s.size {
		return nil
	}
	c.freeMemory(s)
	// Longer than asked for: the next one is seldom of the same length.
	size = max(2*size, 64)
	if s.memory = libc.Xmalloc(c.tls, libc.Tsize_t(size)); s.memory == 0 {
		return errNoMemory()
	}
	s.size = size
	return nil
}

// bindValue binds one parameter and returns the memory that is left.
func (c *Conn) bindValue(s *statement, n int32, value any, at uintptr) (rc int32, rest uintptr) {
	switch v := value.(type) {
	case nil:
		return lib.Xsqlite3_bind_null(c.tls, s.handle, n), at
	case int:
		return lib.Xsqlite3_bind_int64(c.tls, s.handle, n, int64(v)), at
	case int64:
		return lib.Xsqlite3_bind_int64(c.tls, s.handle, n, v), at
	case bool:
		var number int64
		if v {
			number = 1
		}
		return lib.Xsqlite3_bind_int64(c.tls, s.handle, n, number), at
	case float64:
		return lib.Xsqlite3_bind_double(c.tls, s.handle, n, v), at
	case string:
		copy(bytesAt(at, len(v)), v)
		return lib.Xsqlite3_bind_text(c.tls, s.handle, n, at, int32(len(v)), 0), at + uintptr(len(v))
	case []byte:
		if v == nil {
			return lib.Xsqlite3_bind_null(c.tls, s.handle, n), at
		}
		copy(bytesAt(at, len(v)), v)
		return lib.Xsqlite3_bind_blob(c.tls, s.handle, n, at, int32(len(v)), 0), at + uintptr(len(v))
	}
	return lib.SQLITE_MISMATCH, at
}
