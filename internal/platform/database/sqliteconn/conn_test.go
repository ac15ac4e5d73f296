package sqliteconn_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

func open(t *testing.T) *sqliteconn.Conn {
	t.Helper()
	c, err := sqliteconn.Open(filepath.Join(t.TempDir(), "test.db"), "journal_mode(WAL)", "foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	const schema = `CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL, data BLOB, done BOOLEAN);
		CREATE TABLE parts (thing INTEGER REFERENCES things (id)); -- the end`
	if err := c.Script(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	return c
}

func exec(t *testing.T, c *sqliteconn.Conn, text string, args ...any) int64 {
	t.Helper()
	n, err := c.Exec(t.Context(), text, args)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// scanOne scans the only row of a query.
func scanOne(t *testing.T, c *sqliteconn.Conn, text string, args []any, dest ...any) error {
	t.Helper()
	rows, err := c.Query(t.Context(), text, args)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatalf("%s: no row, %v", text, rows.Err())
	}
	return rows.Scan(dest...)
}

type name string

// TestValuesComeBack writes and reads each type, at its limits.
func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	c := open(t)
	long := strings.Repeat("long é ", 3000)
	for i, row := range []struct {
		name any
		size any
		data any
	}{
		{"", 0.5, []byte{}}, {"short", 1.0, []byte{0, 1}}, {long, nil, []byte(long)},
		{name("named"), 2, nil}, {"after", 1e300, nil},
	} {
		const insert = "INSERT INTO things (id, name, size, data, done) VALUES ($1, $2, $3, $4, $5)"
		exec(t, c, insert, i, row.name, row.size, row.data, i%2 == 0)
		var id int
		var text string
		var again name
		var size *float64
		var data []byte
		var done bool
		var anything any
		err := scanOne(t, c, "SELECT id, name, name, size, data, done, id FROM things WHERE id = $1", []any{i},
			&id, &text, &again, &size, &data, &done, &anything)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint(row.name)
		if id != i || text != want || string(again) != want || done != (i%2 == 0) || anything != int64(i) {
			t.Errorf("row %d: got %d, %.20q, %.20q, %v, %v", i, id, text, again, done, anything)
		}
		if (size == nil) != (row.size == nil) || size != nil && fmt.Sprint(*size) != fmt.Sprint(row.size) {
			t.Errorf("row %d: size %v, want %v", i, size, row.size)
		}
		if want, _ := row.data.([]byte); string(data) != string(want) {
			t.Errorf("row %d: %d bytes, want %d", i, len(data), len(want))
		}
	}
}

// TestParametersByNumber checks that a parameter is found by its number, wherever
// and however often it stands in the text.
func TestParametersByNumber(t *testing.T) {
	t.Parallel()
	c := open(t)
	var got string
	err := scanOne(t, c, "SELECT $2 || $1 || $2 || '$1'", []any{"a", "b"}, &got)
	if err != nil || got != "bab$1" {
		t.Errorf("got %q, %v, want %q", got, err, "bab$1")
	}
	if _, err := c.Exec(t.Context(), "SELECT $1", nil); err == nil {
		t.Error("a missing parameter was not refused")
	}
	if _, err := c.Exec(t.Context(), "SELECT 1; SELECT 2", nil); err == nil {
		t.Error("two statements were not refused")
	}
}

// TestWrongDestinations checks that a value which does not fit is an error.
func TestWrongDestinations(t *testing.T) {
	t.Parallel()
	c := open(t)
	var number int64
	var text string
	for _, row := range []struct {
		query string
		dest  any
	}{
		{"SELECT NULL", &text}, {"SELECT NULL", &number}, {"SELECT 'word'", &number}, {"SELECT 1.5", &number},
		{"SELECT 1", text}, {"SELECT 1", &struct{}{}},
	} {
		if err := scanOne(t, c, row.query, nil, row.dest); err == nil {
			t.Errorf("%s into %T: no error", row.query, row.dest)
		}
	}
	if err := scanOne(t, c, "SELECT 1, 2", nil, &number); err == nil {
		t.Error("two columns into one destination: no error")
	}
	if err := scanOne(t, c, "SELECT 12", nil, &text); err != nil || text != "12" {
		t.Errorf("a number as text: %q, %v", text, err)
	}
}

// TestOpenRowsKeepTheirStatement runs the same text while its rows are open.
func TestOpenRowsKeepTheirStatement(t *testing.T) {
	t.Parallel()
	c := open(t)
	const text = "SELECT column1 FROM (VALUES (1), (2)) WHERE column1 >= $1 ORDER BY 1"
	outer, err := c.Query(t.Context(), text, []any{1})
	if err != nil {
		t.Fatal(err)
	}
	var seen []int
	for outer.Next() {
		var a, b int
		if err := outer.Scan(&a); err != nil {
			t.Fatal(err)
		}
		if err := scanOne(t, c, text, []any{a}, &b); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, a, b)
	}
	if err := outer.Close(); err != nil || fmt.Sprint(seen) != "[1 1 2 2]" {
		t.Errorf("got %v, %v", seen, err)
	}
}

// TestWritesCountWhatSucceeded is what the group commit relies on.
func TestWritesCountWhatSucceeded(t *testing.T) {
	t.Parallel()
	c := open(t)
	exec(t, c, "INSERT INTO things (id, name) VALUES (1, 'one')")
	exec(t, c, "BEGIN")
	before := c.Writes()
	_, err := c.Exec(t.Context(), "INSERT INTO things (id, name) VALUES (2, 'one')", nil)
	var engine *sqliteconn.Error
	if !errors.As(err, &engine) || engine.Code() != 2067 || !strings.Contains(err.Error(), "things.name") {
		t.Errorf("a second row of that name: %v", err)
	}
	exec(t, c, "SELECT * FROM things")
	if c.Writes() != before || !c.InTransaction() {
		t.Errorf("after a refused write: %d writes, in a transaction %v", c.Writes()-before, c.InTransaction())
	}
	var id int
	if err := scanOne(t, c, "INSERT INTO things (name) VALUES ('two') RETURNING id", nil, &id); err != nil || id != 2 {
		t.Errorf("RETURNING: %d, %v", id, err)
	}
	if c.Writes() == before {
		t.Error("a write with RETURNING, whose rows were not read to the end, was not counted")
	}
	exec(t, c, "ROLLBACK")
	if c.InTransaction() {
		t.Error("in a transaction after its end")
	}
}

// TestInterrupt ends a statement that would not end by itself, and runs another.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := open(t)
	const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
	for _, run := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := c.Exec(ctx, endless, nil); return err },
		func(ctx context.Context) error { _, err := c.Query(ctx, endless, nil); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's end", err)
		}
		cancel()
		if n := exec(t, c, "INSERT INTO things (name) VALUES (NULL)"); n != 1 {
			t.Errorf("afterwards %d rows were changed, want 1", n)
		}
	}
}

// TestForget runs more texts than are kept.
func TestForget(t *testing.T) {
	t.Parallel()
	c := open(t)
	for i := range sqliteconn.MaxStatements + 10 {
		exec(t, c, fmt.Sprintf("SELECT %d", i))
	}
	exec(t, c, "SELECT 0")
}
