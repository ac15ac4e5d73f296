package dump

import (
	"bufio"
	"context"
	"io"

	"stoa.dev/stoa/internal/platform/database"
)

// Table is a table and how many rows of it were written.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Sequence is a counter of identifiers, which goes on where it was.
type Sequence struct {
	Name   string `json:"name"`
	Last   int64  `json:"last"`
	Called bool   `json:"called"`
}

// history is the table that migrations write themselves.
const history = "stoa_migrations"

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}

// Tables are the names of all tables but that of migrations.
func Tables(ctx context.Context, q database.Querier) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT relname::text FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> $1 ORDER BY relname`, history)
}

// Migrations are the versions of all modules, which a database must have to be loaded.
func Migrations(ctx context.Context, q database.Querier) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT module || '/' || CAST(version AS TEXT) || '/' || checksum
		FROM `+history+` ORDER BY module, version`)
}

// Write writes every row of a table, a line of JSON each, and counts them.
func Write(ctx context.Context, tx *database.Tx, table string, to io.Writer) (n int64, err error) {
	rows, err := tx.Query(ctx, `SELECT row_to_json(t)::text FROM `+quoted(table)+` t`)
	if err != nil {
		return 0, err
	}
	defer func() { err = join(err, rows.Close()) }()
	out := bufio.NewWriterSize(to, 1<<16)
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return n, err
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return n, err
		}
		n++
	}
	return n, join(rows.Err(), out.Flush())
}

// Sequences are the counters of all tables.
func Sequences(ctx context.Context, tx *database.Tx) ([]Sequence, error) {
	names, err := database.All(ctx, tx, scanText, `SELECT relname::text FROM pg_class
		WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return nil, err
	}
	list := make([]Sequence, 0, len(names))
	for _, name := range names {
		s := Sequence{Name: name}
		err := tx.QueryRow(ctx, `SELECT last_value, is_called FROM `+quoted(name)).Scan(&s.Last, &s.Called)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
