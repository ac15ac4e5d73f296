package pageviews_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/service/articles/pageviews"
)

// TestFlush: every view is written once, whether a write fails or views are
// counted meanwhile.
func TestFlush(t *testing.T) {
	t.Parallel()
	const items, readers, views = 1200, 8, 4000
	var (
		c       pageviews.Counter
		stored  = map[int64]int64{}
		refused int
	)
	write := func(_ context.Context, numbers []int64, views map[int64]int64, written func()) error {
		if refused++; refused%2 == 0 {
			return errors.New("refused")
		}
		for n, number := range numbers {
			if n > 0 && number <= numbers[n-1] {
				t.Errorf("item %d follows %d, want the order of the numbers", number, numbers[n-1])
			}
			stored[number] += views[number]
		}
		written()
		return nil
	}
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			for n := range views {
				c.Add(int64(n % items))
			}
		})
	}
	for range 20 {
		_ = c.Flush(t.Context(), write) // half of them are refused
	}
	group.Wait()
	for failed := true; failed; {
		failed = c.Flush(t.Context(), write) != nil
	}
	total := int64(0)
	for number, n := range stored {
		total += n
		if left := c.Pending(number); left != 0 {
			t.Errorf("item %d: %d views are pending, want 0", number, left)
		}
	}
	if total != readers*views {
		t.Errorf("%d views are written, want %d", total, readers*views)
	}
}
