package database

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

// faultyConn is a writing connection whose begin and commit can be made to
// fail or to take long.
type faultyConn struct {
	txConn
	beginErr, commitErr atomic.Pointer[error]
	rollbackErr         atomic.Pointer[error]
	beforeCommit        func()
	rolledBack          atomic.Int64
}

func (c *faultyConn) begin() error {
	if err := c.beginErr.Load(); err != nil {
		return *err
	}
	return c.txConn.begin()
}

func (c *faultyConn) commit() error {
	if c.beforeCommit != nil {
		c.beforeCommit()
	}
	if err := c.commitErr.Load(); err != nil {
		return *err
	}
	return c.txConn.commit()
}

func (c *faultyConn) rollback() error {
	c.rolledBack.Add(1)
	if err := c.rollbackErr.Load(); err != nil {
		return *err
	}
	return c.txConn.rollback()
}

// openFaulty is a SQLite DB around a faulty connection.
func openFaulty(t testing.TB, c *faultyConn) *DB {
	t.Helper()
	o := Options{Dir: t.TempDir()}.withDefaults()
	path, err := sqliteconn.Path(o.URL, o.Dir, FileName)
	if err != nil {
		t.Fatal(err)
	}
	f, err := makePrivate(path)
	if err != nil {
		t.Fatal(err)
	}
	if c.txConn, err = openSQLiteConn(path, "journal_mode(WAL)", "synchronous(OFF)"); err != nil {
		t.Fatal(err)
	}
	w, r := startWriter(c, o), openReaders(path, o)
	db := &DB{engine: SQLite, back: &sqliteDB{file: f, writer: w, readers: r}, opts: o}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Exec(t.Context(), "CREATE TABLE things (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestFailedCommitIsNobodysSuccess is the promise that an fsync failure is
// never reported as success, alone and in a batch.
func TestFailedCommitIsNobodysSuccess(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"alone": 1, "in a batch": 16} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &faultyConn{}
			db := openFaulty(t, c)
			failed := errors.New("disk I/O error: fsync")
			c.commitErr.Store(&failed)
			var hooks atomic.Int64
			runTogether(t, db, size, func(ctx context.Context) {
				err := db.Write(ctx, func(ctx context.Context, tx *Tx) error {
					tx.OnCommit(func() { hooks.Add(1) })
					_, err := tx.Exec(ctx, "INSERT INTO things (n) VALUES (1)")
					return err
				})
				if !errors.Is(err, failed) {
					t.Errorf("Write = %v, want the commit's error", err)
				}
			})
			if got := hooks.Load(); got != 0 {
				t.Errorf("OnCommit ran %d times, want 0", got)
			}
			if c.rolledBack.Load() == 0 {
				t.Error("the failed transaction was not rolled back")
			}
			// The writer goes on once the disk does, without the lost rows.
			c.commitErr.Store(nil)
			if _, err := db.Exec(t.Context(), "INSERT INTO things (n) VALUES (2)"); err != nil {
				t.Fatal(err)
			}
			var sum int
			if err := db.QueryRow(t.Context(), "SELECT SUM(n) FROM things").Scan(&sum); err != nil || sum != 2 {
				t.Errorf("sum = %d, %v; want 2", sum, err)
			}
		})
	}
}

func TestFailedBeginAnswersAll(t *testing.T) {
	t.Parallel()
	c := &faultyConn{}
	db := openFaulty(t, c)
	failed := errors.New("database is locked")
	c.beginErr.Store(&failed)
	runTogether(t, db, 8, func(ctx context.Context) {
		err := db.Write(ctx, func(context.Context, *Tx) error {
			t.Error("ran without a transaction")
			return nil
		})
		if !errors.Is(err, failed) {
			t.Errorf("Write = %v, want the error of BEGIN", err)
		}
	})
	c.beginErr.Store(nil)
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}

// TestFailedRollbackIsMadeUpFor has a disk that fails until after a rollback.
func TestFailedRollbackIsMadeUpFor(t *testing.T) {
	t.Parallel()
	c := &faultyConn{}
	db := openFaulty(t, c)
	broken, refused := errors.New("disk on fire"), errors.New("refused")
	c.rollbackErr.Store(&broken)
	err := db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO things (n) VALUES (1)")
		return errors.Join(err, refused)
	})
	if !errors.Is(err, refused) {
		t.Fatalf("Write = %v, want refused", err)
	}
	c.rollbackErr.Store(nil)
	if _, err := db.Exec(t.Context(), "INSERT INTO things (n) VALUES (2)"); err != nil {
		t.Fatalf("the next write: %v", err)
	}
	got, err := All(t.Context(), db, func(s Scanner) (n int, err error) { err = s.Scan(&n); return n, err },
		"SELECT n FROM things")
	if err != nil || len(got) != 1 || got[0] != 2 {
		t.Errorf("stored %v, %v; want [2]", got, err)
	}
}

// runTogether calls fn from n goroutines whose transactions form one batch.
func runTogether(t *testing.T, db *DB, n int, fn func(ctx context.Context)) {
	t.Helper()
	w := db.back.(*sqliteDB).writer
	started, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		// Whatever becomes of it: it only keeps the writer busy.
		_ = w.write(t.Context(), func(*Tx) error {
			close(started)
			<-free
			return errors.New("held")
		})
	})
	if w.conn.(*faultyConn).beginErr.Load() == nil {
		<-started
	}
	for range n {
		wg.Go(func() { fn(t.Context()) })
	}
	for w.conn.(*faultyConn).beginErr.Load() == nil && w.waiting() < n {
		<-time.After(time.Millisecond)
	}
	close(free)
	wg.Wait()
}

// TestCommitComesBeforeTheAnswer pins the order: commit, OnCommit, return.
func TestCommitComesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	note := func(s string) { mu.Lock(); order = append(order, s); mu.Unlock() }
	c := &faultyConn{}
	db := openFaulty(t, c)
	// Set while the writer is idle; its next batch is ordered after it.
	err := db.Write(t.Context(), func(context.Context, *Tx) error {
		c.beforeCommit = func() { note("commit") }
		return errors.New("nothing to commit")
	})
	if err == nil {
		t.Fatal("want an error")
	}
	err = db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		note("fn")
		tx.OnCommit(func() { note("first hook") })
		tx.OnCommit(func() { note("second hook") })
		_, err := tx.Exec(t.Context(), "INSERT INTO things (n) VALUES (1)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	note("return")
	want := []string{"fn", "commit", "first hook", "second hook", "return"}
	if len(order) != len(want) {
		t.Fatalf("order = %q, want %q", order, want)
	}
	for i := range want {
		if order[i] != want[i] {
			t.Fatalf("order = %q, want %q", order, want)
		}
	}
}

// TestClientsShareCommits runs clients that come back as soon as they are
// answered, on a disk as slow as a real one: they must not fall into two
// groups that take turns.
func TestClientsShareCommits(t *testing.T) {
	t.Parallel()
	const clients, rounds = 32, 20
	c := &faultyConn{}
	db := openFaulty(t, c)
	slowDisk(t, db, c, time.Millisecond)
	before := db.Stats()
	write(t, db, clients, clients*rounds)
	after := db.Stats()
	perCommit := float64(after.Transactions-before.Transactions) / float64(after.Commits-before.Commits)
	if perCommit < clients/2 {
		t.Errorf("transactions per commit = %.1f, want at least %d", perCommit, clients/2)
	}
}

// slowDisk makes every commit take d longer.
func slowDisk(t testing.TB, db *DB, c *faultyConn, d time.Duration) {
	t.Helper()
	err := db.Write(t.Context(), func(context.Context, *Tx) error {
		c.beforeCommit = func() { <-clock.Real().NewTimer(d).C }
		return errTxDone
	})
	if !errors.Is(err, errTxDone) {
		t.Fatal(err)
	}
}

// write inserts n rows from so many clients.
func write(t testing.TB, db *DB, clients, n int) {
	t.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if _, err := db.Exec(t.Context(), "INSERT INTO things (n) VALUES ($1)", 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkWriteSlowDisk is BenchmarkWrite on a disk whose fsync takes 0.7 ms,
// as on ordinary server disks; here the sharing shows whatever this machine's
// disk does.
func BenchmarkWriteSlowDisk(b *testing.B) {
	for name, clients := range map[string]int{"clients=001": 1, "clients=008": 8, "clients=032": 32, "clients=128": 128} {
		b.Run(name, func(b *testing.B) {
			c := &faultyConn{}
			db := openFaulty(b, c)
			slowDisk(b, db, c, 700*time.Microsecond)
			before := db.Stats()
			b.ResetTimer()
			write(b, db, clients, b.N)
			b.StopTimer()
			after := db.Stats()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(after.Transactions-before.Transactions)/float64(after.Commits-before.Commits), "tx/commit")
		})
	}
}
