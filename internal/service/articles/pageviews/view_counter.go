package pageviews

import (
	"context"
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/memo"
)

const (
	// maxPending bounds the items whose views wait to be written. Beyond it views
	// of further items are not counted until the next flush.
	maxPending = 100_000
	// maxBatch bounds one transaction, so that a flush never holds the writer for
	// long.
	maxBatch = 500
)

// Counter counts views by the numbers of items. The zero Counter is ready; it is
// safe for concurrent use.
type Counter struct {
	mu      sync.Mutex
	pending memo.Map[int64, int64]
	// flushing lets one Flush run at a time.
	flushing sync.Mutex
}

// Add counts a view.
func (c *Counter) Add(number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, known := c.pending.Get(number); known || c.pending.Len() < maxPending {
		c.pending.Set(number, n+1)
	}
}

// Pending is the views of an item that are not written yet.
func (c *Counter) Pending(number int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := c.pending.Get(number)
	return n
}

// Write writes the views of some items, in one transaction and in the order of
// their numbers. It calls written when they are durable.
type Write func(ctx context.Context, numbers []int64, views map[int64]int64, written func()) error

// Flush writes the views that were counted. When it returns without an error,
// every view before the call is written.
func (c *Counter) Flush(ctx context.Context, write Write) error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	c.mu.Lock()
	views := maps.Clone(c.pending.Entries())
	c.mu.Unlock()
	// The same order in every process: two never wait for each other in a circle.
	for numbers := range slices.Chunk(slices.Sorted(maps.Keys(views)), maxBatch) {
		if err := write(ctx, numbers, views, func() { c.subtract(numbers, views) }); err != nil {
			return err
		}
	}
	return nil
}

// subtract takes off what was written.
func (c *Counter) subtract(numbers []int64, views map[int64]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, number := range numbers {
		if n, _ := c.pending.Get(number); n > views[number] {
			c.pending.Set(number, n-views[number])
		} else {
			c.pending.Delete(number)
		}
	}
	c.pending.Trim()
}
