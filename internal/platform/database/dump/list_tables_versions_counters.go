package dump

import (
	"context"

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

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}
