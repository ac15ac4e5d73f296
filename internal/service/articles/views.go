package articles

import (
	"context"
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/database"
)

// maxViewed bounds the items whose views wait to be written. Beyond it views of
// further items are not counted until the next flush.
const maxViewed = 100_000

// views counts page views in memory until a job writes them, so that reading a
// page writes nothing.
type views struct {
	mu      sync.Mutex
	pending map[int64]int64
}

func (v *views) add(number int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pending == nil {
		v.pending = map[int64]int64{}
	}
	if _, known := v.pending[number]; known || len(v.pending) < maxViewed {
		v.pending[number]++
	}
}

// of are the views of items that are not written yet.
func (v *views) of(numbers ...int64) []int64 {
	out := make([]int64, len(numbers))
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.pending) == 0 {
		return out
	}
	for n, number := range numbers {
		out[n] = v.pending[number]
	}
	return out
}

func (v *views) copy() map[int64]int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.pending)
}

// written takes off what a flush wrote.
func (v *views) written(counts map[int64]int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for number, n := range counts {
		if v.pending[number] -= n; v.pending[number] <= 0 {
			delete(v.pending, number)
		}
	}
}

// viewsBatch bounds one transaction, so that a flush never holds the writer for
// long.
const viewsBatch = 500

// FlushViews writes the views that were counted. When it returns without an
// error, every view before the call is written.
func (s *Service) FlushViews(ctx context.Context) error {
	s.flush.Lock()
	defer s.flush.Unlock()
	counts := s.views.copy()
	// The same order for everybody: two processes never wait in a circle.
	for numbers := range slices.Chunk(slices.Sorted(maps.Keys(counts)), viewsBatch) {
		part := make(map[int64]int64, len(numbers))
		for _, number := range numbers {
			part[number] = counts[number]
		}
		err := s.world.DB.WriteKeyed(ctx, "articles/views", func(ctx context.Context, tx *database.Tx) error {
			for _, number := range numbers {
				if err := s.store.count(ctx, tx, countViews, part[number], number); err != nil {
					return err
				}
			}
			tx.OnCommit(func() { s.views.written(part) })
			s.shelf.forget(tx, change{items: numbers})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
