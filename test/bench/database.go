package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// benchTable is the table the durable creates fill.
//
//go:embed migrations
var benchTable embed.FS

// databaseRows: one durable row per transaction, straight through
// platform/database, so that group commit is seen without HTTP.
func databaseRows() []row {
	return []row{{name: "durable create, one row, SQLite synchronous=FULL", run: (*bench).databaseCreate, atLeast: 15}}
}

// writers are the numbers of concurrent clients of every durable row.
func writers() []int { return []int{1, 8, 32, 128} }

func (b *bench) databaseCreate(ctx context.Context) ([]result, error) {
	files, err := fs.Sub(benchTable, "migrations")
	if err != nil {
		return nil, err
	}
	folder := b.folder("database")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Options{Dir: folder, Clock: clock.Real()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	if err := db.Migrate(ctx, database.Migrations{Module: "bench", Files: files}); err != nil {
		return nil, err
	}
	var next atomic.Int64
	samples, shared := map[int][]sample{}, map[int]float64{}
	// Rounds go over all widths in turn: a slow minute of the disk hits all.
	for range b.rounds {
		for _, clients := range writers() {
			before := db.Stats()
			s, err := b.creates(ctx, db, clients, &next)
			if err != nil {
				return nil, err
			}
			after := db.Stats()
			shared[clients] = float64(after.Transactions-before.Transactions) / float64(after.Commits-before.Commits)
			samples[clients] = append(samples[clients], s)
		}
	}
	var results []result
	alone := median(samples[1]).rate
	for _, clients := range writers() {
		s := median(samples[clients])
		r := rateResult(fmt.Sprintf("%s, %.1f rows a commit", clientsLabel(clients), shared[clients]), s)
		r.times = s.rate / alone
		r.judged = clients == 32
		results = append(results, r)
	}
	return results, nil
}

// creates is the closed loop without HTTP.
func (b *bench) creates(ctx context.Context, db *database.DB, clients int, next *atomic.Int64) (sample, error) {
	var group sync.WaitGroup
	latency, failed := make([][]time.Duration, clients), make([]error, clients)
	begin := time.Now().Add(b.warm)
	end := begin.Add(b.length)
	for i := range clients {
		group.Go(func() {
			for {
				start := time.Now()
				if start.After(end) {
					return
				}
				id := next.Add(1)
				failed[i] = db.Write(ctx, func(tx *database.Tx) error {
					_, err := tx.Exec(ctx, "INSERT INTO bench_rows (id, title, made) VALUES ($1, $2, $3)", id, "a row of ordinary size", database.Time(start))
					return err
				})
				if failed[i] != nil {
					return
				}
				if done := time.Now(); start.After(begin) && done.Before(end) {
					latency[i] = append(latency[i], done.Sub(start))
				}
			}
		})
	}
	group.Wait()
	return summarize(slices.Concat(latency...), b.length), errors.Join(failed...)
}
