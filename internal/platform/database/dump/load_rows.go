package dump

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// batchBytes is how much one statement inserts, if one row is not more.
const batchBytes = 1 << 20

// quoted is a name as it stands in a statement.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func join(errs ...error) error { return errors.Join(errs...) }

// Contents are what is loaded. Open gives the lines of a table that Write wrote.
type Contents struct {
	Tables    []Table
	Sequences []Sequence
	Open      func(table string) (io.ReadCloser, error)
}

// Load replaces all rows of a database by those of a dump, in one transaction.
func Load(ctx context.Context, db *database.DB, c Contents) error {
	return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		references, err := dropReferences(ctx, tx)
		if err != nil {
			return err
		}
		tables, err := Tables(ctx, tx)
		if err != nil {
			return err
		}
		for _, name := range tables {
			if _, err := tx.Exec(ctx, `DELETE FROM `+quoted(name)); err != nil {
				return err
			}
		}
		for _, t := range c.Tables {
			if err := loadTable(ctx, tx, t, c.Open); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		for _, s := range c.Sequences {
			_, err := tx.Exec(ctx, `SELECT setval(CAST($1 AS TEXT)::regclass, $2, $3)`, quoted(s.Name), s.Last, s.Called)
			if err != nil {
				return fmt.Errorf("sequence %s: %w", s.Name, err)
			}
		}
		return addReferences(ctx, tx, references)
	})
}

func loadTable(
	ctx context.Context, tx *database.Tx, t Table, open func(string) (io.ReadCloser, error),
) (err error) {
	file, err := open(t.Name)
	if err != nil {
		return err
	}
	defer func() { err = join(err, file.Close()) }()
	in := bufio.NewReaderSize(file, 1<<16)
	var batch bytes.Buffer
	var rows int64
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if batch.Len() > 0 {
				batch.WriteByte(',')
			}
			batch.Write(line)
			rows++
		}
		if batch.Len() > batchBytes || (errors.Is(err, io.EOF) && batch.Len() > 0) {
			if err := insertBatch(ctx, tx, t.Name, batch.String()); err != nil {
				return err
			}
			batch.Reset()
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if rows != t.Rows {
		return fmt.Errorf("there are %d rows of %d", rows, t.Rows)
	}
	return nil
}

func insertBatch(ctx context.Context, tx *database.Tx, table, rows string) error {
	_, err := tx.Exec(ctx, `INSERT INTO `+quoted(table)+` OVERRIDING SYSTEM VALUE
		SELECT * FROM json_populate_recordset(NULL::`+quoted(table)+`, CAST($1 AS json))`, "["+rows+"]")
	return err
}

// reference is a foreign key, as it is defined.
type reference struct{ table, name, definition string }

// dropReferences lets rows come in any order.
func dropReferences(ctx context.Context, tx *database.Tx) ([]reference, error) {
	list, err := database.All(ctx, tx, func(s database.Scanner) (r reference, err error) {
		err = s.Scan(&r.table, &r.name, &r.definition)
		return r, err
	}, `SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if _, err := tx.Exec(ctx, `ALTER TABLE `+r.table+` DROP CONSTRAINT `+quoted(r.name)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addReferences checks every row that was loaded.
func addReferences(ctx context.Context, tx *database.Tx, list []reference) error {
	for _, r := range list {
		_, err := tx.Exec(ctx, `ALTER TABLE `+r.table+` ADD CONSTRAINT `+quoted(r.name)+` `+r.definition)
		if err != nil {
			return fmt.Errorf("constraint %s: %w", r.name, err)
		}
	}
	return nil
}
