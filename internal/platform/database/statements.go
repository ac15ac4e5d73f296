package database

import (
	"container/list"
	"context"
	"database/sql"
	"regexp"
	"strconv"
	"strings"
)

// maxStatements bounds the prepared statements of one connection. The program
// has fewer texts than this; the bound guards against a text built from input.
const maxStatements = 1000

// session is one SQLite connection with its prepared statements. It is used by
// one goroutine at a time.
type session struct {
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

func newSession(c *sql.Conn) *session {
	return &session{conn: c, texts: make(map[string]*list.Element), order: list.New()}
}

// statement is the prepared form of text, nil if that is in use by open rows:
// SQLite's statement handle has only one cursor.
func (s *session) statement(ctx context.Context, text string) (*statement, error) {
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
func (s *session) evict() {
	if s.order.Len() <= maxStatements {
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

func (s *session) exec(ctx context.Context, text string, args []any) (int64, error) {
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

func (s *session) query(ctx context.Context, text string, args []any) (*sql.Rows, func(), error) {
	st, err := s.statement(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	if st == nil {
		rows, err := s.conn.QueryContext(ctx, text, args...)
		return rows, nil, err
	}
	rows, err := st.stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	st.busy = true
	return rows, func() { st.busy = false }, nil
}

func (s *session) script(ctx context.Context, text string) error {
	_, err := s.conn.ExecContext(ctx, text)
	return err
}

// run executes one of the engine's own texts, without parameters.
func (s *session) run(text string) error {
	_, err := s.exec(context.Background(), text, nil)
	return err
}

// discard closes the connection for good. The statements go first: database/sql
// does not know them all, and SQLite keeps a file open while one is left.
func (s *session) discard() {
	for e := s.order.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*statement).stmt.Close() // the connection goes with it
	}
	s.order.Init()
	clear(s.texts)
	discardConn(s.conn)
}
