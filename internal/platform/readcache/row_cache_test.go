package readcache_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/readcache"
)

// counted reads the value of a row and counts how often.
type counted struct {
	mu    sync.Mutex
	reads int
}

func (c *counted) read(ctx context.Context, q database.Querier, id int64) (n int64, err error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	err = q.QueryRow(ctx, `SELECT n FROM numbers WHERE id = $1`, id).Scan(&n)
	return n, err
}

func eight(int64, int64) int { return 8 }

func newTable(t *testing.T, db *database.DB) {
	t.Helper()
	write(t, db, `CREATE TABLE numbers (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)`)
	write(t, db, `INSERT INTO numbers (id, n) VALUES (1, 0)`)
}

func write(t *testing.T, db *database.DB, sql string) {
	t.Helper()
	err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestGet checks that a row is read once between two commits where one process
// writes, and always where others may, and that no call sees an older one.
func TestGet(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		newTable(t, db)
		c := &counted{}
		cache := readcache.New(1<<20, c.read, eight)
		want := func(n int64, sqliteReads int) {
			t.Helper()
			got, err := cache.Get(t.Context(), db, 1)
			if err != nil || got != n {
				t.Fatalf("got %d, %v; want %d", got, err, n)
			}
			if db.Engine() == database.SQLite && c.reads != sqliteReads {
				t.Errorf("%d reads, want %d", c.reads, sqliteReads)
			}
		}
		want(0, 1)
		want(0, 1)
		write(t, db, `UPDATE numbers SET n = 1`)
		want(1, 2)
		want(1, 2)
		if db.Engine() == database.Postgres && c.reads != 4 {
			t.Errorf("%d reads, want one a call: other processes write too", c.reads)
		}
	})
}

// TestMissing checks that a row that is not there is looked for as often as one that is,
// and found once it is there.
func TestMissing(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		newTable(t, db)
		c := &counted{}
		cache := readcache.New(1<<20, c.read, eight)
		for range 2 {
			if _, err := cache.Get(t.Context(), db, 2); !errors.Is(err, database.ErrNotFound) {
				t.Fatalf("got %v, want ErrNotFound", err)
			}
		}
		if want := map[bool]int{true: 1, false: 2}[db.Engine() == database.SQLite]; c.reads != want {
			t.Errorf("%d reads of a row that is not there, want %d", c.reads, want)
		}
		write(t, db, `INSERT INTO numbers (id, n) VALUES (2, 5)`)
		if n, err := cache.Get(t.Context(), db, 2); err != nil || n != 5 {
			t.Errorf("got %d, %v; want 5", n, err)
		}
	})
}

// TestSizeOfRows: a row counts with what it takes itself, also one that is not there: a client that
// asks for many that are not there must not make the cache larger than its bound.
func TestSizeOfRows(t *testing.T) {
	t.Parallel()
	type wide struct{ text [1024]byte }
	read := func(context.Context, database.Querier, int64) (wide, error) { return wide{}, database.ErrNotFound }
	const limit = 64 << 10
	cache := readcache.New(limit, read, func(int64, wide) int { return 0 })
	db := databasetest.SQLite(t)
	for id := range int64(1000) {
		if _, err := cache.Get(t.Context(), db, id); !errors.Is(err, database.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if n := cache.Stats().Entries; n == 0 || n > limit/1024 {
		t.Errorf("%d rows of 1 KiB are kept in %d bytes", n, limit)
	}
}

// TestGetInTransaction checks that a transaction sees what it wrote, and that this
// is not kept when it is rolled back.
func TestGetInTransaction(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		newTable(t, db)
		c := &counted{}
		cache := readcache.New(1<<20, c.read, eight)
		undone := errors.New("undone")
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			if _, err := tx.Exec(ctx, `UPDATE numbers SET n = 7`); err != nil {
				return err
			}
			if n, err := cache.Get(ctx, tx, 1); err != nil || n != 7 {
				t.Errorf("inside: %d, %v; want 7", n, err)
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if n, err := cache.Get(t.Context(), db, 1); err != nil || n != 0 {
			t.Errorf("after: %d, %v; want 0", n, err)
		}
		if _, err := cache.Get(t.Context(), db, 2); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("a row that is not there: %v", err)
		}
	})
}

// TestNeverOlder reads while others write: what a reader sees never goes back, and
// a write that was answered is seen.
func TestNeverOlder(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		newTable(t, db)
		c := &counted{}
		cache := readcache.New(1<<20, c.read, eight)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for range 4 {
			wg.Go(func() {
				last := int64(0)
				for {
					select {
					case <-stop:
						return
					default:
					}
					n, err := cache.Get(context.WithoutCancel(t.Context()), db, 1)
					if err != nil || n < last {
						t.Errorf("%d after %d, %v", n, last, err)
						return
					}
					last = n
				}
			})
		}
		for i := range int64(200) {
			write(t, db, `UPDATE numbers SET n = n + 1`)
			if n, err := cache.Get(t.Context(), db, 1); err != nil || n != i+1 {
				t.Errorf("after write %d: %d, %v", i+1, n, err)
			}
		}
		close(stop)
		wg.Wait()
	})
}
