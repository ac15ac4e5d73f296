package identity_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// databases are those of PostgreSQL that no test uses at the moment. Making one
// takes longer than most tests, so they are emptied and used again.
var databases pool

type pool struct {
	mu       sync.Mutex
	free     []*database.DB
	cleanups []func()
}

// postgres is an empty database for one test.
func (p *pool) postgres(t testing.TB) *database.DB {
	t.Helper()
	p.mu.Lock()
	var db *database.DB
	if n := len(p.free); n > 0 {
		db, p.free = p.free[n-1], p.free[:n-1]
	}
	p.mu.Unlock()
	if db == nil {
		db = databasetest.Postgres(keeper{t, p}, identity.Migrations())
	}
	t.Cleanup(func() {
		if err := empty(db); err != nil {
			t.Errorf("empty the database for the next test: %v", err)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free = append(p.free, db)
	})
	return db
}

// empty deletes all rows; what is not named goes with what it refers to.
func empty(db *database.DB) error {
	ctx := context.Background()
	return db.WriteKeyed(ctx, "empty", func(tx *database.Tx) error {
		for _, table := range []string{"credentials", "clients", "users", "orgs", "teams", "names"} {
			if _, err := tx.Exec(ctx, "DELETE FROM identity_"+table); err != nil {
				return err
			}
		}
		return nil
	})
}

// closing is a run of all tests that closes their databases before it ends.
type closing struct{ *testing.M }

func (c closing) Run() int {
	code := c.M.Run()
	for _, cleanup := range databases.cleanups {
		cleanup()
	}
	return code
}

// keeper is the test that makes a database which outlives it.
type keeper struct {
	testing.TB
	p *pool
}

func (keeper) Context() context.Context { return context.Background() }

// Errorf is called after all tests, when there is none left to fail.
func (keeper) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (k keeper) Cleanup(f func()) {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	k.p.cleanups = append([]func(){f}, k.p.cleanups...)
}
