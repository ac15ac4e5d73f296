package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// batchRows are inserted in one transaction.
const batchRows = 100_000

// grow brings a kind from so many copies to so many, while no server runs.
func (w *world) grow(ctx context.Context, k kind, from, to int64) error {
	if k.load != nil {
		return k.load(ctx, w, from+1, to)
	}
	db, err := database.Open(ctx, database.Options{Dir: w.data})
	if err != nil {
		return err
	}
	defer db.Close()
	if from == 0 {
		if err := execute(ctx, db, k.before); err != nil {
			return err
		}
	}
	for _, t := range k.tables {
		per := max(t.per, 1)
		// Copies of a table that stands for many begin with number zero.
		first, last := from/per, to/per
		if from == 0 && per > 1 {
			first = -1
		}
		if err := multiply(ctx, db, t, first+1, last); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return execute(ctx, db, k.after, to-from)
}

func execute(ctx context.Context, db *database.DB, statements []string, args ...any) error {
	for _, text := range statements {
		if _, err := db.Exec(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// multiply copies the row of a table with the numbers from first to last.
func multiply(ctx context.Context, db *database.DB, t table, first, last int64) error {
	text, err := copyStatement(ctx, db, t)
	if err != nil {
		return err
	}
	for n := first; n <= last; n += batchRows {
		if _, err := db.Exec(ctx, text, n, min(n+batchRows-1, last)); err != nil {
			return err
		}
	}
	return nil
}

// copyStatement inserts copies numbered from $1 to $2.
func copyStatement(ctx context.Context, db *database.DB, t table) (string, error) {
	rows, err := db.Query(ctx, `SELECT name FROM pragma_table_info('`+t.name+`')`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var into, from []string
	set := maps.Clone(t.set)
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			return "", err
		}
		if slices.Contains(t.leave, column) {
			continue
		}
		value, ok := set[column]
		if !ok {
			value = column
		}
		delete(set, column)
		into, from = append(into, column), append(from, value)
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	if len(set) > 0 {
		return "", fmt.Errorf("there is no column %s", slices.Collect(maps.Keys(set))[0])
	}
	return fmt.Sprintf(`INSERT INTO %[1]s (%[2]s)
		WITH RECURSIVE numbers (n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $2)
		SELECT %[3]s FROM (SELECT * FROM %[1]s WHERE %[4]s LIMIT 1), numbers`,
		t.name, strings.Join(into, ", "), strings.Join(from, ", "), t.where), nil
}
