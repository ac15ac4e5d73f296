package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// batchRows are inserted in one transaction.
const batchRows = 500_000

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
	execute := w.executor(db)
	if from == 0 {
		for _, text := range k.before {
			if err := execute(ctx, text); err != nil {
				return err
			}
		}
	}
	for _, t := range k.tables {
		per := max(t.per, 1)
		// Copies of a table that stands for many begin with number zero.
		first, last := from/per, to/per
		if from == 0 && per > 1 {
			first = -1
		}
		if err := multiply(ctx, db, execute, t, first+1, last); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	for _, text := range k.after {
		if err := execute(ctx, strings.ReplaceAll(text, "$1", strconv.FormatInt(to-from, 10))); err != nil {
			return err
		}
	}
	return nil
}

// executor runs a statement in the file of the world: by the program sqlite3 where there is one, which copies
// rows several times as fast as the driver, and by the driver otherwise.
func (w *world) executor(db *database.DB) func(ctx context.Context, text string) error {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		return func(ctx context.Context, text string) error {
			_, err := db.Exec(ctx, text)
			return err
		}
	}
	return func(ctx context.Context, text string) error {
		command := exec.CommandContext(ctx, program, "-bail", "-init", os.DevNull, filepath.Join(w.data, "stoa.db"))
		command.Stdin = strings.NewReader("PRAGMA synchronous = off; PRAGMA cache_size = -1000000;\n" + text + ";\n")
		out, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("sqlite3: %w\n%s", err, out)
		}
		return nil
	}
}

// multiply copies the row of a table with the numbers from first to last.
func multiply(
	ctx context.Context, db *database.DB, execute func(context.Context, string) error, t table, first, last int64,
) error {
	text, err := copyStatement(ctx, db, t)
	if err != nil {
		return err
	}
	for n := first; n <= last; n += batchRows {
		bounds := strings.NewReplacer("$1", strconv.FormatInt(n, 10), "$2", strconv.FormatInt(min(n+batchRows-1, last), 10))
		if err := execute(ctx, bounds.Replace(text)); err != nil {
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
