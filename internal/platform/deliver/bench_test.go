package deliver_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/seal"
)

// BenchmarkDeliver sends messages of 64 channels, each committed on its own, to a local receiver.
func BenchmarkDeliver(b *testing.B) {
	db := databasetest.SQLite(b, jobs.Migrations(), deliver.Migrations())
	r := delivertest.NewReceiver(b)
	box, err := seal.Open(b.TempDir(), "", ids.Random())
	if err != nil {
		b.Fatal(err)
	}
	queue := jobs.New(jobs.Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
	engine := deliver.New(deliver.Options{
		DB: db, Jobs: queue, Clock: clock.Real(), IDs: ids.Random(), Seal: box, Client: newClient(b, r.Config, nil),
	})
	queue.Register(engine.Jobs()...)
	if err := queue.Start(context.Background(), 4); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = queue.Stop(context.Background()) }()
	var n atomic.Int64
	b.ResetTimer()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			channel := fmt.Sprintf("channel-%d", n.Add(1)%64)
			err := db.Write(context.Background(), func(ctx context.Context, tx *database.Tx) error {
				_, err := engine.Enqueue(context.Background(), tx, deliver.Message{Channel: channel, URL: r.URL})
				return err
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
	for len(r.Requests()) < b.N {
		_ = clock.Sleep(context.Background(), clock.Real(), 10*time.Millisecond)
	}
}
