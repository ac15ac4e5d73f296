package database_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestWriteEnds walks the ways a transaction function ends, on both engines.
func TestWriteEnds(t *testing.T) {
	t.Parallel()
	for _, m := range members() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			databasetest.Run(t, func(t *testing.T, db *database.DB) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				hook := false
				o := writeCaught(ctx, db, func(ctx context.Context, tx *database.Tx) error {
					tx.OnCommit(func() { hook = true })
					if err := insertTitle(ctx, tx, "first"); err != nil {
						return err
					}
					if err := m.act(cancel); err != nil {
						return err
					}
					return insertTitle(ctx, tx, "second")
				})
				if !m.ends(o) {
					t.Errorf("ended with %+v", o)
				}
				var want []string
				if m.kept {
					want = []string{"first", "second"}
				}
				if got := titles(t, db); !slices.Equal(got, want) {
					t.Errorf("titles = %q, want %q", got, want)
				}
				if hook != m.kept {
					t.Errorf("OnCommit ran = %v, want %v", hook, m.kept)
				}
			}, notes())
		})
	}
}

func TestCancelledBeforeStart(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ran := func(context.Context, *database.Tx) error { t.Error("ran"); return nil }
		if err := db.Write(ctx, ran); !errors.Is(err, context.Canceled) {
			t.Errorf("Write = %v, want canceled", err)
		}
		if err := db.Read(ctx, ran); !errors.Is(err, context.Canceled) {
			t.Errorf("Read = %v, want canceled", err)
		}
		if _, err := db.Query(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
			t.Errorf("Query = %v, want canceled", err)
		}
	})
}

// TestCancelledWhileQueued returns at once, although the writer is busy.
func TestCancelledWhileQueued(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t)
	release := holdWriter(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- db.Write(ctx, func(context.Context, *database.Tx) error { t.Error("ran"); return nil })
	}()
	awaitQueue(t, db, 1)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Write = %v, want canceled", err)
	}
	release()
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

// TestCommittedDespiteCancel has a context that ends when the work is done:
// the caller has to learn that it was committed.
func TestCommittedDespiteCancel(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		defer cancel()
		return insertTitle(ctx, tx, "kept")
	})
	if err != nil {
		t.Errorf("Write = %v, want nil", err)
	}
	if got := titles(t, db); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("titles = %q", got)
	}
}

func TestNestedWriteIsRefused(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			err := db.Write(ctx, func(context.Context, *database.Tx) error { t.Error("ran"); return nil })
			if !errors.Is(err, database.ErrNested) {
				t.Errorf("nested Write = %v, want ErrNested", err)
			}
			if err := db.WriteKeyed(ctx, "k", func(context.Context, *database.Tx) error { return nil }); !errors.Is(err,
				database.ErrNested) {
				t.Errorf("nested WriteKeyed = %v, want ErrNested", err)
			}
			if err := insertTitle(ctx, db, "nested"); !errors.Is(err, database.ErrNested) {
				t.Errorf("nested Exec = %v, want ErrNested", err)
			}
			return insertTitle(ctx, tx, "outer")
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(t, db); !slices.Equal(got, []string{"outer"}) {
			t.Errorf("titles = %q, want only outer", got)
		}
	}, notes())
}

// TestFailedStatementEndsTransaction is the same on both engines: nothing runs
// after it, and it cannot be committed away.
func TestFailedStatementEndsTransaction(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			if err := insertTitle(ctx, tx, "before"); err != nil {
				return err
			}
			if err := insertOwned(ctx, tx, "no owner", "x"); !errors.Is(err, database.ErrForeignKey) {
				t.Errorf("insert = %v, want ErrForeignKey", err)
			}
			if err := insertTitle(ctx, tx, "after"); !errors.Is(err, database.ErrForeignKey) {
				t.Errorf("next insert = %v, want the first failure", err)
			}
			return nil
		})
		if !errors.Is(err, database.ErrForeignKey) {
			t.Errorf("Write = %v, want ErrForeignKey", err)
		}
		if got := titles(t, db); len(got) != 0 {
			t.Errorf("titles = %q, want none", got)
		}
	}, notes())
}

func TestSavepoint(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		var hooks []string
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			hooks = nil
			err := tx.Savepoint(ctx, func() error {
				tx.OnCommit(func() { hooks = append(hooks, "undone") })
				if err := insertTitle(ctx, tx, "undone"); err != nil {
					return err
				}
				return insertOwned(ctx, tx, "no owner", "x")
			})
			if !errors.Is(err, database.ErrForeignKey) {
				t.Errorf("Savepoint = %v, want ErrForeignKey", err)
			}
			return tx.Savepoint(ctx, func() error {
				tx.OnCommit(func() { hooks = append(hooks, "kept") })
				if err := tx.Savepoint(ctx, func() error { _ = insertTitle(ctx, tx, "inner"); return errRefused }); !errors.Is(err,
					errRefused) {
					t.Errorf("inner Savepoint = %v, want refused", err)
				}
				return insertTitle(ctx, tx, "kept")
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(t, db); !slices.Equal(got, []string{"kept"}) {
			t.Errorf("titles = %q, want kept", got)
		}
		if !slices.Equal(hooks, []string{"kept"}) {
			t.Errorf("hooks = %q, want kept", hooks)
		}
	}, notes())
}

func TestTxIsOverAfterItsFunction(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		var kept *database.Tx
		var rows *database.Rows
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			kept = tx
			var err error
			// Left open on purpose: the transaction closes it.
			rows, err = tx.Query(t.Context(), "SELECT 1 UNION SELECT 2")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := insertTitle(t.Context(), kept, "late"); err == nil {
			t.Error("a statement ran after the transaction")
		}
		if rows.Next() {
			t.Error("rows went on after the transaction")
		}
	}, notes())
}

// TestReadersDoNotWait reads while the writer is inside a transaction.
func TestReadersDoNotWait(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	ctx := t.Context()
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := insertTitle(ctx, tx, "not yet"); err != nil {
			return err
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got := titles(t, db); len(got) != 0 {
					t.Errorf("a reader sees %q before the commit", got)
				}
			})
		}
		wg.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadIsASnapshot(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		count := func(q database.Querier) int {
			var n int
			if err := q.QueryRow(ctx, "SELECT COUNT(*) FROM test_notes").Scan(&n); err != nil {
				t.Error(err)
			}
			return n
		}
		err := db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
			before := count(tx)
			if err := insertTitle(ctx, db, "meanwhile"); err != nil {
				return err
			}
			if got := count(tx); got != before {
				t.Errorf("count inside = %d, want %d as before", got, before)
			}
			if got := count(db); got != before+1 {
				t.Errorf("count outside = %d, want %d", got, before+1)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, notes())
}

func TestReadsCannotWrite(t *testing.T) {
	t.Parallel()
	const insert = "INSERT INTO test_notes (title) VALUES ('x') RETURNING id"
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		var id int64
		if err := db.QueryRow(t.Context(), insert).Scan(&id); !errors.Is(err, database.ErrReadOnly) {
			t.Errorf("QueryRow = %v, want ErrReadOnly", err)
		}
		err := db.Read(t.Context(),
			func(ctx context.Context, tx *database.Tx) error { return insertTitle(t.Context(), tx, "x") })
		if !errors.Is(err, database.ErrReadOnly) {
			t.Errorf("Read = %v, want ErrReadOnly", err)
		}
		// Inside Write it is the way to learn the new id.
		err = db.Write(t.Context(),
			func(ctx context.Context, tx *database.Tx) error { return tx.QueryRow(t.Context(), insert).Scan(&id) })
		if err != nil || id != 1 {
			t.Errorf("id = %d, %v; want 1", id, err)
		}
	}, notes())
}

// TestReadEnds gives its connection back however fn ends.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for range 20 { // more often than there are connections
			var wg sync.WaitGroup
			for _, fn := range []func(){func() { panic("boom") }, runtime.Goexit, func() {}} {
				wg.Go(func() {
					defer func() {
						if p, ok := recover().(*database.Panic); ok && p.Value != "boom" {
							t.Errorf("panic = %v, want boom", p.Value)
						}
					}()
					_ = db.Read(t.Context(), func(context.Context, *database.Tx) error { fn(); return nil })
				})
			}
			wg.Wait()
		}
		if got := db.Stats().ReadersBusy; got != 0 {
			t.Errorf("readers busy = %d, want 0", got)
		}
	})
}

func insertOwned(ctx context.Context, q database.Querier, owner, title string) error {
	_, err := q.Exec(ctx, "INSERT INTO test_notes (owner, title) VALUES ($1, $2)", owner, title)
	return err
}

// TestReadIsInterrupted ends a statement that would run for minutes.
func TestReadIsInterrupted(t *testing.T) {
	t.Parallel()
	texts := map[database.Engine]string{
		database.SQLite: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000000000) " +
			"SELECT COUNT(*) FROM c",
		database.Postgres: "SELECT COUNT(*) FROM (SELECT pg_sleep(600)) s",
	}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
			var n int64
			return tx.QueryRow(ctx, texts[db.Engine()]).Scan(&n)
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Read = %v, want deadline exceeded", err)
		}
		if took := time.Since(begin); took > guard {
			t.Errorf("took %v", took)
		}
		// The connection, or another one, still answers.
		for range 20 {
			var one int
			if err := db.QueryRow(t.Context(), "SELECT 1").Scan(&one); err != nil || one != 1 {
				t.Fatalf("afterwards: %d, %v", one, err)
			}
		}
	})
}
