package sqliteconn

import (
	"context"
	"errors"
	"strings"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// statement is a prepared statement and the memory of its parameters.
type statement struct {
	text       string
	handle     uintptr
	parameters int
	writes     bool // it may change the file
	cached     bool
	busy       bool // its rows are open: the handle has only one cursor

	// memory has the texts and blobs that are bound.
	memory uintptr
	size   int
}

// keepMemory is how much memory a statement keeps between two executions.
const keepMemory = 1024

// statement is the prepared form of text: the kept one, or another while the
// rows of that are open.
func (c *Conn) statement(text string) (*statement, error) {
	kept := c.cache.get(text)
	if kept != nil && !kept.busy {
		return kept, nil
	}
	s, tail, err := c.prepare(numbered(planOnce(text)), kept == nil)
	if err != nil {
		return nil, err
	}
	if s.handle == 0 || strings.TrimSpace(tail) != "" {
		c.finalize(s)
		return nil, errors.New("sqliteconn: one statement was expected")
	}
	s.text = text
	if kept == nil {
		s.cached = true
		if gone := c.cache.put(s); gone != nil {
			c.finalize(gone)
		}
	}
	return s, nil
}

// prepare parses the first statement of text. The handle is zero when text has
// none.
func (c *Conn) prepare(text string, persistent bool) (s *statement, tail string, err error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, "", errors.New("sqliteconn: a statement contains a NUL character")
	}
	var flags uint32
	if persistent {
		flags = lib.SQLITE_PREPARE_PERSISTENT
	}
	source, err := libc.CString(text)
	if err != nil {
		return nil, "", err
	}
	defer libc.Xfree(c.tls, source)
	out := libc.Xcalloc(c.tls, 2, 8)
	if out == 0 {
		return nil, "", errNoMemory()
	}
	defer libc.Xfree(c.tls, out)
	if rc := lib.Xsqlite3_prepare_v3(c.tls, c.db, source, -1, flags, out, out+8); rc != lib.SQLITE_OK {
		return nil, "", c.failure(rc)
	}
	s = &statement{handle: pointerAt(out)}
	used := pointerAt(out+8) - source
	if s.handle != 0 {
		s.parameters = int(lib.Xsqlite3_bind_parameter_count(c.tls, s.handle))
		s.writes = lib.Xsqlite3_stmt_readonly(c.tls, s.handle) == 0
	}
	return s, text[used:], nil
}

func (c *Conn) finalize(s *statement) {
	if s.handle != 0 {
		// It repeats the error of the last execution, which was reported when
		// it happened.
		lib.Xsqlite3_finalize(c.tls, s.handle)
		s.handle = 0
	}
	c.freeMemory(s)
}

func (c *Conn) freeMemory(s *statement) {
	if s.memory != 0 {
		libc.Xfree(c.tls, s.memory)
		s.memory, s.size = 0, 0
	}
}

// finish makes s ready for its next execution.
func (c *Conn) finish(s *statement) {
	s.busy = false
	if !s.cached {
		c.finalize(s)
		return
	}
	lib.Xsqlite3_reset(c.tls, s.handle) // as finalize
	if s.size > keepMemory {
		lib.Xsqlite3_clear_bindings(c.tls, s.handle)
		c.freeMemory(s)
	}
}

// step runs s to its next row, or to its end.
func (c *Conn) step(s *statement) (row bool, err error) {
	rc := lib.Xsqlite3_step(c.tls, s.handle)
	if rc != lib.SQLITE_ROW && rc != lib.SQLITE_DONE {
		return false, c.failure(rc)
	}
	if s.writes {
		c.writes++ // at the first row too: RETURNING comes after all changes
	}
	return rc == lib.SQLITE_ROW, nil
}

// Exec runs a statement and counts the rows that it changed.
func (c *Conn) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	s, err := c.statement(text)
	if err != nil {
		return 0, err
	}
	defer c.finish(s)
	if err := c.bind(s, args); err != nil {
		return 0, err
	}
	if ctx.Done() != nil {
		stop := c.interruptWith(ctx)
		defer func() { err = interrupted(ctx, err); stop() }()
	}
	for row := true; row; {
		if row, err = c.step(s); err != nil {
			return 0, err
		}
	}
	return int64(lib.Xsqlite3_changes(c.tls, c.db)), nil
}

// Run executes a text without parameters, such as COMMIT.
func (c *Conn) Run(text string) error {
	_, err := c.Exec(context.Background(), text, nil)
	return err
}

// Script runs several statements without parameters.
func (c *Conn) Script(_ context.Context, text string) error {
	for strings.TrimSpace(text) != "" {
		s, tail, err := c.prepare(text, false)
		if err != nil {
			return err
		}
		for row := s.handle != 0; row; {
			if row, err = c.step(s); err != nil {
				break
			}
		}
		c.finalize(s)
		if err != nil {
			return err
		}
		text = tail
	}
	return nil
}
