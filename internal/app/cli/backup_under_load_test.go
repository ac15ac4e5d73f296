package cli_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/database"
)

var (
	backups = flag.Int("backups", 1, "how many backups are made while others write")
	atLeast = flag.Int64("writes-per-second", 1, "how many writes a second must have been acknowledged meanwhile")
)

// pair is one transaction of two rows, with tickets of one counter from before it began
// and after it was acknowledged.
type pair struct{ begun, acked int64 }

// loader writes pairs as fast as it can.
type loader struct {
	db      *database.DB
	tickets atomic.Int64
	stop    atomic.Bool
	pairs   [][]pair // of each writer, in its order
	group   sync.WaitGroup
}

func (l *loader) start(t *testing.T, writers int) {
	t.Helper()
	if _, err := l.db.Exec(t.Context(), `CREATE TABLE test_pairs (writer INTEGER, n INTEGER, half INTEGER)`); err != nil {
		t.Fatal(err)
	}
	l.pairs = make([][]pair, writers)
	for w := range writers {
		l.group.Go(func() {
			for n := 0; !l.stop.Load(); n++ {
				p := pair{begun: l.tickets.Add(1)}
				err := l.db.Write(context.Background(), func(ctx context.Context, tx *database.Tx) error {
					for half := range 2 {
						if _, err := tx.Exec(ctx, `INSERT INTO test_pairs (writer, n, half) VALUES ($1, $2, $3)`, w, n,
							half); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				p.acked = l.tickets.Add(1)
				l.pairs[w] = append(l.pairs[w], p)
			}
		})
	}
}

// TestBackupUnderLoad makes backups while others write, and restores each: it is of one
// moment. Of each writer it has the first writes without a gap, both rows of each, all that
// were acknowledged before it began; and no write without one that had ended before.
func TestBackupUnderLoad(t *testing.T) {
	c := app.DefaultConfig()
	c.Data, c.BaseURL = t.TempDir(), "http://127.0.0.1:1"
	a, err := app.New(t.Context(), app.Options{
		Config: c, LogTo: io.Discard, NoHTTP: true, NoSync: true, ThrowAway: "it is a test",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	l := &loader{db: a.World().DB}
	l.start(t, 32)
	type made struct {
		folder string
		begun  int64
	}
	var all []made
	began, before := time.Now(), l.tickets.Load()
	for n := range *backups {
		for l.tickets.Load() < int64(1000*(n+1)) && !t.Failed() {
			<-time.After(time.Millisecond) // so that there is something to copy
		}
		m := made{filepath.Join(t.TempDir(), fmt.Sprint("copy", n)), l.tickets.Load()}
		if _, err := a.RunCommand(t.Context(), "backup", map[string][]string{"folder": {m.folder}}, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	took, after := time.Since(began), l.tickets.Load()
	l.stop.Store(true)
	l.group.Wait()
	rate := int64(float64((after-before)/2) / took.Seconds())
	t.Logf("%d writes a second, %d backups in %s", rate, *backups, took)
	if rate < *atLeast {
		t.Errorf("%d writes a second were acknowledged, want %d", rate, *atLeast)
	}
	for _, m := range all {
		l.compare(t, m.folder, m.begun)
	}
}

// compare restores a backup and looks for what it must have.
func (l *loader) compare(t *testing.T, folder string, begun int64) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "restored")
	if code, out, failed := runProgram(t, "--data", data, "restore", folder); code != 0 {
		t.Fatalf("restore ended with %d: %s%s", code, out, failed)
	}
	db, err := database.Open(t.Context(), database.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	type row struct{ writer, pairs, last, rows int }
	rows, err := database.All(t.Context(), db, func(s database.Scanner) (r row, err error) {
		err = s.Scan(&r.writer, &r.pairs, &r.last, &r.rows)
		return r, err
	}, `SELECT writer, COUNT(DISTINCT n), MAX(n), COUNT(*) FROM test_pairs GROUP BY writer`)
	if err != nil {
		t.Fatal(err)
	}
	has, newest := make([]int, len(l.pairs)), begun
	for _, r := range rows {
		if r.pairs != r.last+1 || r.rows != 2*r.pairs {
			t.Errorf("writer %d: %d pairs up to %d, %d rows: not whole", r.writer, r.pairs, r.last, r.rows)
		}
		has[r.writer] = r.pairs
		newest = max(newest, l.pairs[r.writer][r.last].begun)
	}
	for w, pairs := range l.pairs {
		for n, p := range pairs[has[w]:] {
			if p.acked < newest {
				t.Errorf("write %d of writer %d had ended before another that is there, or before the backup, and is missing",
					has[w]+n, w)
				break
			}
		}
	}
}
