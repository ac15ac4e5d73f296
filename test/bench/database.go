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
	"stoa.dev/stoa/test/bench/drive"
)

// benchTable is the table the durable creates fill.
//
//go:embed migrations
var benchTable embed.FS

// databaseRows: one durable row per transaction, straight through
// platform/database, so that group commit is seen without HTTP. What it wins
// depends on what a flush costs, so it is measured twice: on this disk as it
// is, and with every flush made a millisecond longer, as on a disk that has no
// battery behind its cache.
func databaseRows() []row {
	return []row{
		{name: "durable create, one row, SQLite synchronous=FULL", run: (*bench).databaseCreate, atLeast: 15},
		{name: "durable create, one row, each flush 1 ms longer", run: (*bench).databaseCreateSlow, atLeast: 15},
	}
}

// writers are the numbers of concurrent clients of every durable row.
func writers() []int { return []int{1, 8, 32, 128} }

func (b *bench) databaseCreate(ctx context.Context) ([]result, error) {
	widths, err := b.allCreates(ctx)
	if err != nil {
		return nil, err
	}
	return createResults(widths), nil
}

// width is what one number of clients reached.
type width struct {
	Clients int
	Rate    float64
	P50     time.Duration
	P99     time.Duration
	Shared  float64 // rows a commit
}

func createResults(widths []width) []result {
	var results []result
	for _, w := range widths {
		s := drive.Sample{Rate: w.Rate, P50: w.P50, P99: w.P99}
		r := rateResult(fmt.Sprintf("%s, %.1f rows a commit", clientsLabel(w.Clients), w.Shared), s)
		r.times = w.Rate / widths[0].Rate
		r.judged = w.Clients == 32
		results = append(results, r)
	}
	return results
}

// allCreates measures every width on a database of its own.
func (b *bench) allCreates(ctx context.Context) ([]width, error) {
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
	samples, shared := map[int][]drive.Sample{}, map[int]float64{}
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
	var widths []width
	for _, clients := range writers() {
		s := drive.Median(samples[clients])
		widths = append(widths, width{Clients: clients, Rate: s.Rate, P50: s.P50, P99: s.P99, Shared: shared[clients]})
	}
	return widths, nil
}

// creates is the closed loop without HTTP.
func (b *bench) creates(ctx context.Context, db *database.DB, clients int, next *atomic.Int64) (drive.Sample, error) {
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
				failed[i] = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
					_, err := tx.Exec(ctx, "INSERT INTO bench_rows (id, title, made) VALUES ($1, $2, $3)", id,
						"a row of ordinary size", database.Time(start))
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
	return drive.Summarize(slices.Concat(latency...), b.length), errors.Join(failed...)
}
