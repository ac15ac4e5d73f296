package singlerow_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

// write runs f in a transaction.
func write(t *testing.T, db *database.DB, f func(ctx context.Context, tx *database.Tx) error) error {
	t.Helper()
	return db.Write(t.Context(), f)
}

// jars is a schema: a table that counts its rows, and a second one that counts from elsewhere.
func jars() database.Migrations {
	return database.Migrations{Module: "jars", Files: fstest.MapFS{"0001_jars.sql": {Data: []byte(`
		CREATE TABLE jars (number {{serial}}, name {{text}} NOT NULL UNIQUE, size BIGINT NOT NULL);
		CREATE TABLE lids (id {{serial}}, name {{text}} NOT NULL);`)}}}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		const insert = `INSERT INTO jars (name, size) VALUES ($1, $2) ON CONFLICT DO NOTHING`
		numbers := map[string]int64{}
		err := write(t, db, func(ctx context.Context, tx *database.Tx) error {
			for _, name := range []string{"a", "b", "c"} {
				var err error
				if numbers[name], err = singlerow.Insert(ctx, tx, "number", insert, name, 1); err != nil {
					return err
				}
				// Another table's numbers are its own.
				if _, err := singlerow.Insert(ctx, tx, "id", `INSERT INTO lids (id, name) VALUES ($1, $2)`, 900+len(numbers), name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, number := range numbers {
			var got string
			if err := db.QueryRow(t.Context(), `SELECT name FROM jars WHERE number = $1`, number).Scan(&got); err != nil || got != name {
				t.Errorf("number %d is of %q (%v), want %q", number, got, err, name)
			}
		}
		err = write(t, db, func(ctx context.Context, tx *database.Tx) error {
			_, err := singlerow.Insert(ctx, tx, "number", insert, "a", 2)
			return err
		})
		if !errors.Is(err, database.ErrNotFound) {
			t.Errorf("an insert that made no row: %v, want ErrNotFound", err)
		}
		err = write(t, db, func(ctx context.Context, tx *database.Tx) error {
			_, err := singlerow.Insert(ctx, tx, "number", `INSERT INTO jars (name, size) VALUES ($1, $2)`, "a", 2)
			return err
		})
		if !errors.Is(err, database.ErrUnique) {
			t.Errorf("a second row of a name: %v, want ErrUnique", err)
		}
	}, jars())
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		fill := singlerow.Change{Table: "jars", Set: "size = size + $2", Where: "name = $1", Read: "number, size"}
		var number, size int64
		err := write(t, db, func(ctx context.Context, tx *database.Tx) error {
			made, err := singlerow.Insert(ctx, tx, "number", `INSERT INTO jars (name, size) VALUES ($1, $2)`, "a", 5)
			if err != nil {
				return err
			}
			key := make([]any, 1, 4) // with space behind it, which Update must leave alone
			key[0] = "a"
			if err := singlerow.Update(ctx, tx, fill, key, []any{3}, &number, &size); err != nil {
				return err
			}
			if number != made || size != 8 {
				t.Errorf("read number %d and size %d, want %d and 8", number, size, made)
			}
			return singlerow.Update(ctx, tx, fill, key, []any{-1}, &number, &size)
		})
		if err != nil || size != 7 {
			t.Errorf("after the second change: size %d (%v), want 7", size, err)
		}
		err = write(t, db, func(ctx context.Context, tx *database.Tx) error {
			return singlerow.Update(ctx, tx, fill, []any{"nothing"}, []any{1}, &number, &size)
		})
		if !errors.Is(err, database.ErrNotFound) {
			t.Errorf("a change of no row: %v, want ErrNotFound", err)
		}
	}, jars())
}
