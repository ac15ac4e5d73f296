package prepared

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"
)

// MaxStatements bounds the prepared statements of one connection. The program
// has fewer texts than this; the bound guards against a text built from input.
const MaxStatements = 1000

// Session is one SQLite connection with its prepared statements. It is used by
// one goroutine at a time.
type Session struct {
	conn  *sql.Conn
	texts map[string]*list.Element
	order *list.List // most recently used first
}

type statement struct {
	text string
	stmt *sql.Stmt
	busy bool // its rows are open
}

// boundLimit finds a bare parameter as a row limit. SQLite plans such a
// statement for the value it is bound to, and so parses it again at every
// execution, which costs more than a short read itself. Any expression in its
// place ends that; PostgreSQL has no use for one and would not know its type.
var boundLimit = regexp.MustCompile(`\b(LIMIT|OFFSET)(\s+)\$`)

func planOnce(text string) string { return boundLimit.ReplaceAllString(text, "$1$2+$$") }

var parameter = regexp.MustCompile(`\$[0-9]+`)

// nameless writes parameters that stand in order as bare question marks. The
// driver asks SQLite for the name of every parameter at every execution, and
// SQLite searches a list for it: binding an insert of many rows is quadratic
// in its parameters unless they have no names.
func nameless(text string) string {
	if strings.ContainsRune(text, '\'') {
		return text // a dollar in a literal is no parameter
	}
	for i, name := range parameter.FindAllString(text, -1) {
		if name != "$"+strconv.Itoa(i+1) {
			return text
		}
	}
	return parameter.ReplaceAllString(text, "?")
}

// New starts without statements.
func New(c *sql.Conn) *Session {
	return &Session{conn: c, texts: make(map[string]*list.Element), order: list.New()}
}

// statement is the prepared form of text, nil if that is in use by open rows:
// SQLite's statement handle has only one cursor.
func (s *Session) statement(ctx context.Context, text string) (*statement, error) {
	if e, ok := s.texts[text]; ok {
		s.order.MoveToFront(e)
		if st := e.Value.(*statement); !st.busy {
			return st, nil
		}
		return nil, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, nameless(planOnce(text)))
	if err != nil {
		return nil, err
	}
	st := &statement{text: text, stmt: stmt}
	s.texts[text] = s.order.PushFront(st)
	s.evict()
	return st, nil
}

// evict drops the statement that was not used for the longest time.
func (s *Session) evict() {
	if s.order.Len() <= MaxStatements {
		return
	}
	for e := s.order.Back(); e != nil; e = e.Prev() {
		st := e.Value.(*statement)
		if st.busy {
			continue
		}
		s.order.Remove(e)
		delete(s.texts, st.text)
		// Finalizing repeats the error of the last execution, which was
		// reported when it happened.
		_ = st.stmt.Close()
		return
	}
}

// Exec runs a statement and counts the rows that it changed.
func (s *Session) Exec(ctx context.Context, text string, args []any) (int64, error) {
	st, err := s.statement(ctx, text)
	if err != nil {
		return 0, err
	}
	var res sql.Result
	if st != nil {
		res, err = st.stmt.ExecContext(ctx, args...)
	} else {
		res, err = s.conn.ExecContext(ctx, text, args...)
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Query runs a statement; done, if not nil, is called when its rows are closed.
func (s *Session) Query(ctx context.Context, text string, args []any) (rows *sql.Rows, done func(), err error) {
	st, err := s.statement(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	if st == nil {
		rows, err = s.conn.QueryContext(ctx, text, args...)
		return rows, nil, err
	}
	rows, err = st.stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	st.busy = true
	return rows, func() { st.busy = false }, nil
}

// Script runs several statements without parameters.
func (s *Session) Script(ctx context.Context, text string) error {
	_, err := s.conn.ExecContext(ctx, text)
	return err
}

// Run executes one of the engine's own texts, without parameters.
func (s *Session) Run(text string) error {
	_, err := s.Exec(context.Background(), text, nil)
	return err
}

// Discard closes the connection for good. The statements go first: database/sql
// does not know them all, and SQLite keeps a file open while one is left.
func (s *Session) Discard() {
	for e := s.order.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*statement).stmt.Close() // the connection goes with it
	}
	s.order.Init()
	clear(s.texts)
	Drop(s.conn)
}

// Drop closes a connection for good instead of returning it to its pool.
func Drop(c *sql.Conn) {
	// The reported error is the one handed in, which is how database/sql is
	// told to drop a connection.
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
}
