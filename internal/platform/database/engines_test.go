package database_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// The tests of this file pin where the two engines could differ.

func TestParametersAreBoundByNumber(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		tests := map[string]struct{ text, want string }{
			"in order":     {"SELECT CAST($1 AS TEXT) || CAST($2 AS TEXT) || CAST($3 AS TEXT)", "abc"},
			"out of order": {"SELECT CAST($3 AS TEXT) || CAST($1 AS TEXT) || CAST($2 AS TEXT)", "cab"},
			"repeated":     {"SELECT CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($2 AS TEXT) || CAST($3 AS TEXT)", "babc"},
		}
		for name, test := range tests {
			var got string
			if err := db.QueryRow(t.Context(), test.text, "a", "b", "c").Scan(&got); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got != test.want {
				t.Errorf("%s: got %q, want %q", name, got, test.want)
			}
		}
		// Also where a statement writes, which takes another path.
		ctx := t.Context()
		_, err := db.Exec(ctx, "INSERT INTO test_notes (size, title, body) VALUES ($2, $3, $1)", []byte("body"), 7, "title")
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.Exec(ctx, "UPDATE test_notes SET title = $2 || $3 || $2 WHERE size = $1", 7, "x", "-")
		if err != nil || n.RowsAffected != 1 {
			t.Errorf("update = %+v, %v; want one row", n, err)
		}
		if got := titles(t, db); !slices.Equal(got, []string{"x-x"}) {
			t.Errorf("titles = %q, want x-x", got)
		}
	}, notes())
}

func TestTextSortsByBytes(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		want := []string{"", " ", "-a", "1", "10", "2", "A", "B", "_", "a", "a b", "a-b", "aB", "ab", "b", "z", "ä", "é", "ö",
			"日本", "😀"}
		shuffled := slices.Clone(want)
		slices.Reverse(shuffled)
		for _, title := range shuffled {
			if err := insertTitle(t.Context(), db, title); err != nil {
				t.Fatal(err)
			}
		}
		if got := titles(t, db); !slices.Equal(got, want) {
			t.Errorf("order = %q\nwant    %q", got, want)
		}
		var n int
		if err := db.QueryRow(t.Context(), "SELECT COUNT(*) FROM test_notes WHERE title > $1", "a b").Scan(&n); err != nil ||
			n != 10 {
			t.Errorf("after %q: %d, %v; want 10", "a b", n, err)
		}
	}, notes())
}

func TestTimes(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 5*3600+1800)
	tests := map[string]struct {
		in   time.Time
		text string
	}{
		"whole second":    {time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05.000000Z"},
		"microseconds":    {time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), "2026-01-02T03:04:05.678901Z"},
		"nanoseconds cut": {time.Date(2026, 1, 2, 3, 4, 5, 678901999, time.UTC), "2026-01-02T03:04:05.678901Z"},
		"another zone":    {time.Date(2026, 1, 2, 3, 4, 5, 0, east), "2026-01-01T21:34:05.000000Z"},
		"year one":        {time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "0001-01-01T00:00:00.000000Z"},
		"far future":      {time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC), "9999-12-31T23:59:59.999999Z"},
	}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for name, test := range tests {
			if _, err := db.Exec(t.Context(), "INSERT INTO test_notes (title, made_at) VALUES ($1, $2)", name,
				database.Time(test.in)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var text string
			var got time.Time
			err := db.QueryRow(t.Context(), "SELECT made_at, made_at FROM test_notes WHERE title = $1", name).Scan(&text,
				database.ScanTime(&got))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if text != test.text {
				t.Errorf("%s: stored %q, want %q", name, text, test.text)
			}
			if want := test.in.Truncate(time.Microsecond); !got.Equal(want) || got.Location() != time.UTC {
				t.Errorf("%s: read %v, want %v in UTC", name, got, want)
			}
		}
	}, notes())
}

func TestNullTimes(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for _, in := range []time.Time{{}, at} {
			title := in.String()
			if _, err := db.Exec(ctx, "INSERT INTO test_notes (title, made_at) VALUES ($1, $2)", title,
				database.NullTime(in)); err != nil {
				t.Fatal(err)
			}
			got := at
			row := db.QueryRow(ctx, "SELECT made_at FROM test_notes WHERE title = $1", title)
			if err := row.Scan(database.ScanNullTime(&got)); err != nil || !got.Equal(in) {
				t.Errorf("read %v, %v; want %v", got, err, in)
			}
		}
		var got time.Time
		err := db.QueryRow(ctx, "SELECT made_at FROM test_notes WHERE made_at IS NULL").Scan(database.ScanTime(&got))
		if !errors.Is(err, database.ErrInvalid) {
			t.Errorf("ScanTime of NULL = %v, want ErrInvalid", err)
		}
	}, notes())
}

func TestNullIsNotEmpty(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		for i, body := range [][]byte{nil, {}, []byte("x")} {
			if _, err := db.Exec(ctx, "INSERT INTO test_notes (title, body, made_at) VALUES ($1, $2, $3)", fmt.Sprint(i), body,
				""); err != nil {
				t.Fatal(err)
			}
		}
		type seen struct {
			null   bool
			length int
		}
		got, err := database.All(ctx, db, func(row database.Scanner) (seen, error) {
			var s seen
			var body []byte
			var text *string
			err := row.Scan(&s.null, &body, &text)
			if text == nil || *text != "" {
				t.Errorf("empty text read as %v, want an empty string", text)
			}
			s.length = len(body)
			return s, err
		}, "SELECT body IS NULL, body, made_at FROM test_notes ORDER BY title")
		if want := []seen{{true, 0}, {false, 0}, {false, 1}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}, notes())
}

func TestBooleans(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		for _, done := range []bool{true, false} {
			if _, err := db.Exec(ctx, "INSERT INTO test_notes (title, done) VALUES ($1, $2)", fmt.Sprint(done),
				done); err != nil {
				t.Fatal(err)
			}
			var title string
			var got bool
			err := db.QueryRow(ctx, "SELECT title, done FROM test_notes WHERE done = $1", done).Scan(&title, &got)
			if err != nil || got != done || title != fmt.Sprint(done) {
				t.Errorf("read %q, %v, %v; want %v", title, got, err, done)
			}
		}
		var n int
		if err := db.QueryRow(ctx, "SELECT COUNT(*) FROM test_notes WHERE done AND NOT done = FALSE").Scan(&n); err != nil ||
			n != 1 {
			t.Errorf("n = %d, %v; want 1", n, err)
		}
	}, notes())
}

func TestLargeValues(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		body, title := bytes.Repeat([]byte{0, 1, 254, 255}, 1<<18), strings.Repeat("ü", 1<<19)
		const size = int64(9223372036854775807)
		// No unique index on this column in the schema with such a width:
		// the title goes where there is none.
		if _, err := db.Exec(ctx, "INSERT INTO test_notes (title, made_at, body, size) VALUES ('x', $1, $2, $3)", title, body,
			size); err != nil {
			t.Fatal(err)
		}
		var gotTitle string
		var gotBody []byte
		var gotSize int64
		if err := db.QueryRow(ctx, "SELECT made_at, body, size FROM test_notes").Scan(&gotTitle, &gotBody,
			&gotSize); err != nil {
			t.Fatal(err)
		}
		if gotTitle != title || !bytes.Equal(gotBody, body) || gotSize != size {
			t.Errorf("read %d, %d bytes and %d; want what was stored", len(gotTitle), len(gotBody), gotSize)
		}
	}, notes())
}

// label is text of a type of its own.
type label string

func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for name, value := range map[string]any{
			"invalid UTF-8": "a\xffb", "a NUL": "a\x00b", "a bare time": time.Now(),
			"invalid UTF-8 of a type": label("a\xffb"), "a NUL in a type": label("a\x00b"),
			"a time too late": database.Time(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)),
		} {
			_, err := db.Exec(t.Context(), "INSERT INTO test_notes (title) VALUES ($1)", value)
			if !errors.Is(err, database.ErrInvalid) {
				t.Errorf("%s: %v, want ErrInvalid", name, err)
			}
		}
	}, notes())
}

// TestConcurrentClaims hands each row to exactly one of many claimers.
func TestConcurrentClaims(t *testing.T) {
	t.Parallel()
	const rows, claimers = 60, 6
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for i := range rows {
			if err := insertTitle(t.Context(), db, fmt.Sprintf("%03d", i)); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		claims := map[string]int{}
		var wg sync.WaitGroup
		for i := range claimers {
			wg.Go(func() {
				for {
					title, err := claim(t.Context(), db, i)
					if errors.Is(err, database.ErrNotFound) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					claims[title]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for title, n := range claims {
			if n != 1 {
				t.Errorf("row %s was claimed %d times", title, n)
			}
		}
		if len(claims) != rows {
			t.Errorf("claimed %d rows, want %d", len(claims), rows)
		}
	}, notes())
}

func claim(ctx context.Context, db *database.DB, claimer int) (title string, err error) {
	err = db.WriteKeyed(ctx, fmt.Sprint("claimer", claimer), func(ctx context.Context, tx *database.Tx) error {
		return tx.QueryRow(ctx,
			"UPDATE test_notes SET done = TRUE WHERE id = (SELECT id FROM test_notes WHERE NOT done ORDER BY id LIMIT 1"+
				tx.ForUpdateSkipLocked()+") RETURNING title").Scan(&title)
	})
	return title, err
}

// TestSameTextInsideItself runs a statement while its own rows are open.
func TestSameTextInsideItself(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		if db.Engine() == database.Postgres {
			t.Skip("a PostgreSQL connection runs one statement at a time; collect the rows first")
		}
		ctx := t.Context()
		const text = "SELECT title FROM test_notes WHERE title >= $1 ORDER BY title"
		var got []string
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for _, title := range []string{"a", "b", "c"} {
				if err := insertTitle(ctx, tx, title); err != nil {
					return err
				}
			}
			outer, err := tx.Query(ctx, text, "a")
			if err != nil {
				return err
			}
			for outer.Next() {
				var title, first string
				if err := outer.Scan(&title); err != nil {
					return err
				}
				if err := tx.QueryRow(ctx, text, "b").Scan(&first); err != nil {
					return err
				}
				got = append(got, title+first)
			}
			return outer.Close()
		})
		if want := []string{"ab", "bb", "cb"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}, notes())
}

// TestManyTexts runs more texts than are kept prepared.
func TestManyTexts(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t)
	for i := range 1200 {
		var got int
		if err := db.QueryRow(t.Context(), fmt.Sprintf("SELECT %d", i)).Scan(&got); err != nil || got != i {
			t.Fatalf("got %d, %v; want %d", got, err, i)
		}
	}
}

// TestReleaseMemory closes the readers that are not in use; what is asked next works.
func TestReleaseMemory(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		err := db.Read(ctx, func(ctx context.Context, _ *database.Tx) error {
			return db.Read(ctx, func(ctx context.Context, _ *database.Tx) error {
				_, err := db.Exec(ctx, "INSERT INTO test_notes (size, title, body) VALUES (1, 'kept', '')")
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.ReleaseMemory(ctx); err != nil {
			t.Fatal(err)
		}
		if open := db.Stats().ReadersOpen; db.Engine() == database.SQLite && open != 1 {
			t.Errorf("%d readers are open, want 1", open)
		}
		if got := titles(t, db); !slices.Equal(got, []string{"kept"}) {
			t.Errorf("titles = %q", got)
		}
	}, notes())
}
