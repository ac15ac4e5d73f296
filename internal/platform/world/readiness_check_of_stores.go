package world

import (
	"context"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// checkEvery is how often the stores are written to at most, however often readiness is
// asked for: anyone may ask. checkTime bounds one check.
const (
	checkEvery = time.Second
	checkTime  = 2 * time.Second
)

// storeCheck is the last check. It is paced by real time, as the machine is.
type storeCheck struct {
	mu      sync.Mutex
	at      time.Time
	results map[string]error
}

// CheckStores says of the database and the blob store whether this process can write
// to them now. What is found is told to others as well, so a caller who leaves does not end it.
func (w *World) CheckStores(ctx context.Context) map[string]error {
	c := &w.check
	c.mu.Lock()
	defer c.mu.Unlock()
	if clock.Real().Now().Sub(c.at) >= checkEvery {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
		defer cancel()
		c.results = map[string]error{"database": w.checkDatabase(ctx), "blobs": w.checkBlobs(ctx)}
		c.at = clock.Real().Now()
	}
	copied := make(map[string]error, len(c.results))
	for name, err := range c.results {
		copied[name] = err
	}
	return copied
}

func (w *World) checkDatabase(ctx context.Context) error {
	if err := w.DB.Ping(ctx); err != nil {
		return err
	}
	return w.DB.WriteKeyed(ctx, "world.readiness", func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO world_readiness (id, checks) VALUES (1, 1)
			ON CONFLICT (id) DO UPDATE SET checks = world_readiness.checks + 1`)
		return err
	})
}

// readinessKey is the object that checks write.
const readinessKey = "world/readiness"

func (w *World) checkBlobs(ctx context.Context) error {
	_, err := w.Blobs.Put(ctx, readinessKey, strings.NewReader("ready\n"), blob.PutOptions{})
	return err
}
