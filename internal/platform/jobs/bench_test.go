package jobs

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
)

// benchDBs are databases that make every commit durable.
func benchDBs(b *testing.B, fn func(b *testing.B, db *database.DB)) {
	b.Run("sqlite", func(b *testing.B) {
		db, err := database.Open(b.Context(), database.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		if err := db.Migrate(b.Context(), Migrations()); err != nil {
			b.Fatal(err)
		}
		fn(b, db)
	})
	b.Run("postgres", func(b *testing.B) {
		fn(b, databasetest.Postgres(b, Migrations()))
	})
}

// BenchmarkJobs is enqueue, claim, run and finish of empty jobs, with 16
// enqueuing transactions at a time.
func BenchmarkJobs(b *testing.B) {
	for _, lanes := range []int{0, 50} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) {
			benchDBs(b, func(b *testing.B, db *database.DB) { benchJobs(b, db, lanes) })
		})
	}
}

func benchJobs(b *testing.B, db *database.DB, lanes int) {
	q := New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
	var ran atomic.Int64
	all := make(chan struct{})
	q.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
		if ran.Add(1) == int64(b.N) {
			close(all)
		}
		return nil
	}}))
	if err := q.Start(b.Context(), 8); err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			e := Enqueue{Kind: "a", Payload: note{1}}
			if lanes > 0 {
				e.Key = fmt.Sprint(n.Add(1) % int64(lanes))
			}
			err := db.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := q.Enqueue(b.Context(), tx, e)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	<-all
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.StopTimer()
	if err := q.Stop(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDrain runs a full queue empty.
func BenchmarkDrain(b *testing.B) {
	benchDBs(b, func(b *testing.B, db *database.DB) {
		q := New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
		var ran atomic.Int64
		all := make(chan struct{})
		q.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
			if ran.Add(1) == int64(b.N) {
				close(all)
			}
			return nil
		}}))
		for left := b.N; left > 0; left -= 1000 {
			err := db.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
				for range min(left, 1000) {
					if _, err := q.Enqueue(b.Context(), tx, Enqueue{Kind: "a", Payload: note{1}}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		if err := q.Start(b.Context(), 8); err != nil {
			b.Fatal(err)
		}
		<-all
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		b.StopTimer()
		if err := q.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkOwners is BenchmarkJobs of a kind that is claimed by owner.
func BenchmarkOwners(b *testing.B) {
	for _, owners := range []int{1, 50} {
		b.Run(fmt.Sprintf("owners=%d", owners), func(b *testing.B) {
			benchDBs(b, func(b *testing.B, db *database.DB) { benchOwners(b, db, owners) })
		})
	}
}

func benchOwners(b *testing.B, db *database.DB, owners int) {
	q := New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
	var ran, n atomic.Int64
	all := make(chan struct{})
	q.Register(Define(Kind[note]{
		Name: "a", Concurrency: 64, PerOwner: Share{Running: 32, Waiting: 1 << 20},
		Run: func(context.Context, Job, note) error {
			if ran.Add(1) == int64(b.N) {
				close(all)
			}
			return nil
		},
	}))
	if err := q.Start(b.Context(), 8); err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			e := Enqueue{Kind: "a", Payload: note{1}, Owner: fmt.Sprint(n.Add(1) % int64(owners))}
			err := db.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := q.Enqueue(b.Context(), tx, e)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	<-all
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.StopTimer()
	if err := q.Stop(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWake is the time from commit to run on an idle queue.
func BenchmarkWake(b *testing.B) {
	benchDBs(b, func(b *testing.B, db *database.DB) {
		q := New(Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
		ran := make(chan struct{})
		q.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error {
			ran <- struct{}{}
			return nil
		}}))
		if err := q.Start(b.Context(), 8); err != nil {
			b.Fatal(err)
		}
		var waited time.Duration
		for range b.N {
			err := db.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := q.Enqueue(b.Context(), tx, Enqueue{Kind: "a", Payload: note{1}})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			committed := clock.Real().Now()
			<-ran
			waited += clock.Real().Now().Sub(committed)
		}
		b.ReportMetric(float64(waited.Microseconds())/float64(b.N), "µs/wake")
		b.StopTimer()
		if err := q.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkAdvance walks over jobs that are due a second apart, on a database as
// worlds of a lab have it.
func BenchmarkAdvance(b *testing.B) {
	db, err := database.Open(b.Context(), database.Options{Dir: b.TempDir(), NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(b.Context(), Migrations()); err != nil {
		b.Fatal(err)
	}
	v := clock.NewVirtual(epoch)
	q := New(Options{DB: db, Clock: v, IDs: ids.Seeded(1)})
	q.Register(Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error { return nil }}))
	err = db.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
		for i := range b.N {
			at := epoch.Add(time.Duration(i+1) * time.Second)
			if _, err := q.Enqueue(ctx, tx, Enqueue{Kind: "a", Payload: note{i}, At: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if err := q.AdvanceJobsTo(b.Context(), v, epoch.Add(time.Duration(b.N+1)*time.Second)); err != nil {
		b.Fatal(err)
	}
}
