package database_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// BenchmarkWrite measures durable one-row inserts: each client waits for its
// commit before it sends the next. Transactions per commit show the sharing.
func BenchmarkWrite(b *testing.B) {
	for _, clients := range []int{1, 8, 32, 128} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			db, err := database.Open(b.Context(), database.Options{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if err := db.Migrate(b.Context(), notes()); err != nil {
				b.Fatal(err)
			}
			before, took := db.Stats(), make([]time.Duration, b.N)
			b.ResetTimer()
			inParallel(clients, b.N, func(i int64) {
				begin := time.Now()
				if err := insertNote(b.Context(), db, i); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(begin)
			})
			b.StopTimer()
			after := db.Stats()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(after.Transactions-before.Transactions)/float64(after.Commits-before.Commits), "tx/commit")
		})
	}
}

func insertNote(ctx context.Context, db *database.DB, i int64) error {
	return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO test_notes (title, size, body) VALUES ($1, $2, $3)", "a title of some length", i,
			body)
		return err
	})
}

var body = make([]byte, 200)

// inParallel calls fn for 0…n-1 from so many goroutines.
func inParallel(clients, n int, fn func(i int64)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range clients {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}

// BenchmarkRead measures point reads by primary key, as a handler does them.
func BenchmarkRead(b *testing.B) {
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			db := databasetest.SQLite(b, notes())
			for i := range int64(1000) {
				if err := insertNote(b.Context(), db, i); err != nil {
					b.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			b.ReportAllocs()
			b.ResetTimer()
			inParallel(clients, b.N, func(i int64) {
				var title string
				var body []byte
				var size int64
				err := db.QueryRow(ctx, "SELECT title, size, body FROM test_notes WHERE id = $1", i%1000+1).Scan(&title, &size,
					&body)
				if err != nil || size != i%1000 {
					b.Errorf("size = %d, %v; want %d", size, err, i%1000)
				}
			})
		})
	}
}

// BenchmarkReadLimited measures a short range with a bound limit: a statement
// that is parsed again each time is three times slower.
func BenchmarkReadLimited(b *testing.B) {
	db := databasetest.SQLite(b, notes())
	for i := range int64(100) {
		if err := insertNote(b.Context(), db, i); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var size int64
		if err := db.QueryRow(b.Context(), "SELECT size FROM test_notes WHERE id > $1 ORDER BY id LIMIT $2", 50,
			1).Scan(&size); err != nil {
			b.Fatal(err)
		}
	}
}
