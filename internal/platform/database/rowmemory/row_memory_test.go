package rowmemory_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/database/rowmemory"
)

// rowMemory is the memory of a request.
type rowMemory struct {
	most, told int64
}

func (m *rowMemory) HoldRow(_ context.Context, bytes int64) error {
	if m.told += bytes; m.told > m.most {
		return errFull
	}
	return nil
}

var errFull = errors.New("full")

func (m *rowMemory) HoldRows(_ context.Context, bytes int64) error {
	if m.told = bytes; bytes > m.most {
		return errFull
	}
	return nil
}

// counting is the context of a request.
type counting struct {
	context.Context
	memory rowmemory.Memory
}

func (c counting) Value(key any) any {
	if key == rowmemory.Key() {
		return c.memory
	}
	return c.Context.Value(key)
}

// TestRowsAreCounted: the rows that are collected for a request are counted as they come.
func TestRowsAreCounted(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Exec(t.Context(), `CREATE TABLE texts (id BIGINT, words TEXT)`); err != nil {
			t.Fatal(err)
		}
		for id := range 100 {
			if _, err := db.Exec(t.Context(), `INSERT INTO texts (id, words) VALUES ($1, $2)`, id,
				strings.Repeat("x", 10_000)); err != nil {
				t.Fatal(err)
			}
		}
		read := func(m *rowMemory, limit int) (n int, err error) {
			all, err := database.All(counting{t.Context(), m}, db, func(s database.Scanner) (text string, err error) {
				n++
				err = s.Scan(&text)
				return text, err
			}, `SELECT words FROM texts ORDER BY id LIMIT $1`, limit)
			if err == nil && len(all) != limit {
				t.Errorf("%d rows, want %d", len(all), limit)
			}
			return n, err
		}
		few := &rowMemory{most: 1}
		if _, err := read(few, 6); err != nil || few.told != 0 {
			t.Errorf("few rows: %v, told of %d bytes", err, few.told)
		}
		many := &rowMemory{most: 1 << 30}
		if _, err := read(many, 100); err != nil || many.told < 900_000 || many.told > 1_100_000 {
			t.Errorf("many rows: %v, told of %d bytes, want about a million", err, many.told)
		}
		elsewhere := &rowMemory{most: 1}
		_, err := database.All(counting{t.Context(), elsewhere}, db, func(s database.Scanner) (text string, err error) {
			err = rowmemory.Uncounted(s).Scan(&text)
			return text, err
		}, `SELECT words FROM texts`)
		if err != nil || elsewhere.told != 0 {
			t.Errorf("rows that are counted elsewhere: %v, told of %d bytes", err, elsewhere.told)
		}
		full := &rowMemory{most: 200_000}
		if n, err := read(full, 100); !errors.Is(err, errFull) || n > 30 {
			t.Errorf("more than there may be: %v after %d rows", err, n)
		}
	})
}

// TestSingleRowsAreCounted: long rows that are read by themselves are counted together, short ones and those that are
// counted elsewhere are not.
func TestSingleRowsAreCounted(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Exec(t.Context(), `CREATE TABLE texts (id BIGINT, words TEXT)`); err != nil {
			t.Fatal(err)
		}
		for id, length := range []int{1000, 100_000, 200_000} {
			if _, err := db.Exec(t.Context(), `INSERT INTO texts (id, words) VALUES ($1, $2)`, id,
				strings.Repeat("x", length)); err != nil {
				t.Fatal(err)
			}
		}
		scan := func(s database.Scanner) (text string, err error) {
			err = s.Scan(&text)
			return text, err
		}
		const sql = `SELECT words FROM texts WHERE id = $1`
		m := &rowMemory{most: 350_000}
		ctx := counting{t.Context(), m}
		for id, want := range []int64{0, 100_000, 300_000} {
			if _, err := database.One(ctx, db, scan, sql, id); err != nil || m.told != want {
				t.Errorf("row %d: told of %d bytes in all, want %d (%v)", id, m.told, want, err)
			}
		}
		if _, err := database.One(rowmemory.Elsewhere(ctx), db, scan, sql, 2); err != nil || m.told != 300_000 {
			t.Errorf("a row that is counted elsewhere: %v, told of %d bytes", err, m.told)
		}
		err := db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
			var text []byte
			return tx.QueryRow(ctx, sql, 1).Scan(&text)
		})
		if !errors.Is(err, errFull) {
			t.Errorf("a row too many, in a transaction: %v", err)
		}
		if _, err := database.One(t.Context(), db, scan, sql, 2); err != nil {
			t.Errorf("outside of a request: %v", err)
		}
	})
}
