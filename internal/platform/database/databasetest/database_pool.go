package databasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

// Pool hands databases on from test to test: emptying a few tables costs a
// hundredth of making a database. It is for tests that leave the schema alone.
type Pool struct {
	sets []database.Migrations

	mu   sync.Mutex
	free map[database.Engine][]*pooled
}

// pooled is a database between two tests.
type pooled struct {
	db     *database.DB
	tables []string // that were empty after the migrations
	drop   func(context.Context) error
}

// NewPool is a pool of databases with the sets migrated.
func NewPool(sets ...database.Migrations) *Pool {
	return &Pool{sets: sets, free: map[database.Engine][]*pooled{}}
}

// Main runs the tests and then closes the databases. It is what goleak's
// VerifyTestMain takes in place of m.
func (p *Pool) Main(m *testing.M) interface{ Run() int } { return poolMain{p, m} }

type poolMain struct {
	pool *Pool
	m    *testing.M
}

// Run implements goleak's TestingM.
func (m poolMain) Run() int {
	code := m.m.Run()
	if err := m.pool.close(); err != nil {
		fmt.Println("databasetest:", err)
		return max(code, 1)
	}
	return code
}

// Run is the package's Run on databases of the pool.
func (p *Pool) Run(t *testing.T, fn func(t *testing.T, db *database.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, p.SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, p.Postgres(t))
	})
}

// SQLite is an empty database of the pool, until the test ends.
func (p *Pool) SQLite(t testing.TB) *database.DB {
	t.Helper()
	return p.take(t, database.SQLite, openSQLite)
}

// Postgres is an empty database of the pool, until the test ends.
func (p *Pool) Postgres(t testing.TB) *database.DB {
	t.Helper()
	return p.take(t, database.Postgres, openPostgres)
}

func (p *Pool) take(t testing.TB, e database.Engine,
	open func(testing.TB, []database.Migrations) *pooled) *database.DB {
	t.Helper()
	h := p.reuse(e)
	if h == nil {
		h = open(t, p.sets)
		h.note(t)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		err := h.empty(ctx)
		if errors.Is(err, database.ErrClosed) {
			err = h.drop(ctx) // The test did that.
		} else if err != nil {
			err = errors.Join(err, h.close())
		} else {
			p.give(e, h)
		}
		if err != nil {
			t.Errorf("give the test database back: %v", err)
		}
	})
	return h.db
}

func (p *Pool) give(e database.Engine, h *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[e] = append(p.free[e], h)
}

func (p *Pool) reuse(e database.Engine) *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.free[e]
	if len(list) == 0 {
		return nil
	}
	h := list[len(list)-1]
	p.free[e] = list[:len(list)-1]
	return h
}

func (p *Pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, list := range p.free {
		for _, h := range list {
			errs = append(errs, h.close())
		}
	}
	clear(p.free)
	return errors.Join(errs...)
}

func openSQLite(t testing.TB, sets []database.Migrations) *pooled {
	t.Helper()
	dir, err := os.MkdirTemp("", "stoa-")
	if err != nil {
		t.Fatal(err)
	}
	h := &pooled{drop: func(context.Context) error { return os.RemoveAll(dir) }}
	SQLiteFile(t, dir, sets...)
	h.open(t, database.Options{Dir: dir, NoSync: true})
	return h
}

func openPostgres(t testing.TB, sets []database.Migrations) *pooled {
	t.Helper()
	s, name := create(t, sets)
	h := &pooled{drop: func(ctx context.Context) error { return s.drop(ctx, name) }}
	h.open(t, database.Options{URL: s.url(name), Connections: 8})
	return h
}

func (h *pooled) open(t testing.TB, o database.Options) {
	t.Helper()
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open test database: %v", errors.Join(err, h.drop(t.Context())))
	}
	h.db = db
}

func (h *pooled) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	return errors.Join(h.db.Close(), h.drop(ctx))
}

// note remembers the tables that are to be emptied: all but those which the
// migrations filled.
func (h *pooled) note(t testing.TB) {
	t.Helper()
	list := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if h.db.Engine() == database.Postgres {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	names, err := database.All(t.Context(), h.db, func(s database.Scanner) (name string, err error) {
		err = s.Scan(&name)
		return name, err
	}, list)
	for _, name := range names {
		var filled bool
		err = errors.Join(err, h.db.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&filled))
		if !filled {
			h.tables = append(h.tables, name)
		}
	}
	if err != nil {
		t.Fatalf("list the tables of the test database: %v", errors.Join(err, h.close()))
	}
}

// empty makes the database as it was after its migrations, numbers included.
func (h *pooled) empty(ctx context.Context) error {
	return h.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if h.db.Engine() == database.Postgres {
			_, err := tx.Exec(ctx, "TRUNCATE "+strings.Join(h.tables, ", ")+" RESTART IDENTITY")
			return err
		}
		if _, err := tx.Exec(ctx, "PRAGMA defer_foreign_keys = 1"); err != nil {
			return err
		}
		for _, name := range h.tables { // SQLite's own table of numbers is one of them.
			if _, err := tx.Exec(ctx, "DELETE FROM "+name); err != nil {
				return err
			}
		}
		return nil
	})
}
