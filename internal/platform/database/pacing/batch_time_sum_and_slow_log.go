package pacing

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// slowBatch is worth a line in the log: everybody else waited as long.
const slowBatch = time.Second

// BatchTime adds up how long batches took, and logs those that took long.
type BatchTime struct {
	Log *slog.Logger

	total atomic.Int64 // nanoseconds
}

// Total is how long all batches took.
func (b *BatchTime) Total() time.Duration { return time.Duration(b.total.Load()) }

// Add notes how long a batch of transactions took.
func (b *BatchTime) Add(took time.Duration, transactions int) {
	b.total.Add(int64(took))
	if took <= slowBatch {
		return
	}
	// No context: a batch has many callers.
	b.Log.LogAttrs(context.Background(), slog.LevelWarn,
		"database writer slow: a transaction waits for something, or the disk does",
		slog.Duration("took", took), slog.Int("transactions", transactions))
}
