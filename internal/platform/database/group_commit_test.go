package database_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// guard bounds waiting in tests; it is never reached when things work.
const guard = 30 * time.Second

// holdWriter keeps SQLite's writer inside a transaction until release is
// called, so that what is written meanwhile becomes one batch.
func holdWriter(t *testing.T, db *database.DB) (release func()) {
	t.Helper()
	started, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.Write(t.Context(), func(context.Context, *database.Tx) error {
			close(started)
			<-free
			return nil
		})
	}()
	<-started
	return func() {
		close(free)
		if err := <-ended; err != nil {
			t.Errorf("holding transaction: %v", err)
		}
	}
}

// awaitQueue waits until n transactions wait for the writer.
func awaitQueue(t *testing.T, db *database.DB, n int64) {
	t.Helper()
	deadline := time.Now().Add(guard)
	for db.Stats().Queued != n {
		if time.Now().After(deadline) {
			t.Fatalf("queued = %d, want %d", db.Stats().Queued, n)
		}
		<-time.After(time.Millisecond)
	}
}

// outcome is how one Write ended in its caller's goroutine.
type outcome struct {
	err      error
	panicked any
	exited   bool
}

// writeCaught runs Write in a goroutine of its own and catches everything.
func writeCaught(ctx context.Context, db *database.DB, fn func(ctx context.Context, tx *database.Tx) error) outcome {
	var o outcome
	done := make(chan struct{})
	go func() {
		returned := false
		defer close(done)
		defer func() {
			o.panicked = recover()
			o.exited = !returned && o.panicked == nil
		}()
		o.err = db.Write(ctx, fn)
		returned = true
	}()
	<-done
	return o
}

// member is one transaction of a batch: what it does after its insert and how
// its caller has to see it end.
type member struct {
	name string
	act  func(cancel context.CancelFunc) error
	ends func(o outcome) bool
	kept bool
}

var errRefused = errors.New("refused")

func members() []member {
	return []member{
		{
			"good", func(context.CancelFunc) error { return nil },
			func(o outcome) bool { return o == outcome{} }, true,
		},
		{
			"failing", func(context.CancelFunc) error { return errRefused },
			func(o outcome) bool { return errors.Is(o.err, errRefused) }, false,
		},
		{
			"panicking", func(context.CancelFunc) error { panic("boom") },
			func(o outcome) bool {
				p, ok := o.panicked.(*database.Panic)
				return ok && p.Value == "boom" && len(p.Stack) > 0
			}, false,
		},
		{
			"cancelled between statements", func(cancel context.CancelFunc) error { cancel(); return nil },
			func(o outcome) bool { return errors.Is(o.err, context.Canceled) }, false,
		},
		{
			"ending its goroutine", func(context.CancelFunc) error { runtime.Goexit(); return nil },
			func(o outcome) bool { return o.exited }, false,
		},
	}
}

// TestBatchMembersAreIsolated puts 64 transactions into one commit, most of
// which go wrong in every known way, and looks for what the others wrote.
func TestBatchMembersAreIsolated(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	kinds, release := members(), holdWriter(t, db)
	var want []string
	var hooks sync.Map
	var wg sync.WaitGroup
	for i := range 64 {
		m := kinds[i%len(kinds)]
		title := fmt.Sprintf("%02d %s", i, m.name)
		if m.kept {
			want = append(want, title)
		}
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := writeCaught(ctx, db, func(ctx context.Context, tx *database.Tx) error {
				tx.OnCommit(func() { hooks.Store(title, true) })
				if err := insertTitle(ctx, tx, title); err != nil {
					return err
				}
				if err := m.act(cancel); err != nil {
					return err
				}
				return insertTitle(ctx, tx, title+" again")
			})
			if !m.ends(o) {
				t.Errorf("%s: ended with %+v", title, o)
			}
			if _, ran := hooks.Load(title); ran != m.kept {
				t.Errorf("%s: OnCommit ran = %v, want %v", title, ran, m.kept)
			}
		})
	}
	awaitQueue(t, db, 64)
	release()
	wg.Wait()

	var wantAll []string
	for _, title := range want {
		wantAll = append(wantAll, title, title+" again")
	}
	if got := titles(t, db); !slices.Equal(got, wantAll) {
		t.Errorf("titles = %q\nwant %q", got, wantAll)
	}
	if got := db.Stats().LargestBatch; got != 64 {
		t.Errorf("largest batch = %d, want 64", got)
	}
}

// TestBatchSharesOneCommit is what group commit is for.
func TestBatchSharesOneCommit(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	release := holdWriter(t, db)
	before := db.Stats().Commits
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if err := insertNote(t.Context(), db, int64(i)); err != nil {
				t.Error(err)
			}
		})
	}
	awaitQueue(t, db, 200)
	release()
	wg.Wait()
	// One for the holding transaction, one for the batch.
	if got := db.Stats().Commits - before; got != 2 {
		t.Errorf("commits = %d, want 2", got)
	}
	// The time of a batch is known before the next one begins.
	if err := insertNote(t.Context(), db, 200); err != nil {
		t.Fatal(err)
	}
	if got := db.Stats().Writing; got <= 0 {
		t.Errorf("the writer worked for %s, want a time", got)
	}
}

// TestWholeRollbackRunsOthersAgain lets SQLite throw away the transaction of
// the whole batch, as it does when the disk is full.
func TestWholeRollbackRunsOthersAgain(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	ctx := t.Context()
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var pages int
		return tx.QueryRow(ctx, "PRAGMA max_page_count = 40").Scan(&pages)
	})
	if err != nil {
		t.Fatal(err)
	}
	release := holdWriter(t, db)
	var runs atomic.Int64
	var want []string
	var wg sync.WaitGroup
	for i := range 9 {
		if i == 5 {
			wg.Go(func() {
				o := writeCaught(ctx, db, func(ctx context.Context, tx *database.Tx) error {
					_, err := tx.Exec(ctx, "INSERT INTO test_notes (title, body) VALUES ('large', $1)", make([]byte, 1<<20))
					if !errors.Is(err, database.ErrDiskFull) {
						t.Errorf("large insert: %v, want ErrDiskFull", err)
					}
					// It ignores its failure; what it writes now must not
					// slip past the rollback.
					_ = insertTitle(ctx, tx, "after the failure")
					return nil
				})
				if !errors.Is(o.err, database.ErrDiskFull) {
					t.Errorf("large: %v, want ErrDiskFull", o.err)
				}
			})
			awaitQueue(t, db, int64(i)+1)
			continue
		}
		title := fmt.Sprintf("small %d", i)
		want = append(want, title)
		wg.Go(func() {
			err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				runs.Add(1)
				return insertTitle(ctx, tx, title)
			})
			if err != nil {
				t.Errorf("%s: %v", title, err)
			}
		})
		awaitQueue(t, db, int64(i)+1)
	}
	release()
	wg.Wait()
	if got := titles(t, db); !slices.Equal(got, want) {
		t.Errorf("titles = %q, want %q", got, want)
	}
	// Five ran before the large one and again after it, three only after it.
	if got := runs.Load(); got != 13 {
		t.Errorf("runs = %d, want 13", got)
	}
}

// TestDeferredConstraintBlamesOne has a constraint that fails only at COMMIT,
// which the whole batch shares.
func TestDeferredConstraintBlamesOne(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		var release func()
		if db.Engine() == database.SQLite {
			release = holdWriter(t, db)
		}
		var wg sync.WaitGroup
		for _, parent := range []string{"known", "unknown", "known", "known"} {
			wg.Go(func() {
				_, err := db.Exec(t.Context(), "INSERT INTO test_children (parent) VALUES ($1)", parent)
				if parent == "known" && err != nil || parent != "known" && !errors.Is(err, database.ErrForeignKey) {
					t.Errorf("%s parent: %v", parent, err)
				}
			})
		}
		if release != nil {
			awaitQueue(t, db, 4)
			release()
		}
		wg.Wait()
		var n int
		if err := db.QueryRow(t.Context(), "SELECT COUNT(*) FROM test_children").Scan(&n); err != nil || n != 3 {
			t.Errorf("children = %d, %v; want 3", n, err)
		}
	}, schema("0001_family.sql", `
		CREATE TABLE test_parents (name {{text}} PRIMARY KEY);
		INSERT INTO test_parents VALUES ('known');
		CREATE TABLE test_children (id {{serial}}, parent {{text}} REFERENCES test_parents DEFERRABLE INITIALLY DEFERRED);`))
}

func insertTitle(ctx context.Context, q database.Querier, title string) error {
	_, err := q.Exec(ctx, "INSERT INTO test_notes (title) VALUES ($1)", title)
	return err
}

func titles(t *testing.T, db *database.DB) []string {
	t.Helper()
	all, err := database.All(t.Context(), db, func(row database.Scanner) (string, error) {
		var s string
		err := row.Scan(&s)
		return s, err
	}, "SELECT title FROM test_notes ORDER BY title")
	if err != nil {
		t.Fatal(err)
	}
	return all
}
