package adversary

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Bystander asks something small at a fixed pace and notes how long it waits.
type Bystander struct {
	mu     sync.Mutex
	waits  []time.Duration
	failed []string
}

// Watch asks until the context ends. Every question has the whole pace to
// itself: a slow answer does not hide the next one.
func (b *Bystander) Watch(ctx context.Context, pace time.Duration, ask func(context.Context) error) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	var group sync.WaitGroup
	defer group.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		group.Go(func() {
			began := time.Now()
			err := ask(ctx)
			took := time.Since(began)
			b.mu.Lock()
			defer b.mu.Unlock()
			if ctx.Err() == nil {
				b.waits = append(b.waits, took)
				if err != nil {
					b.failed = append(b.failed, err.Error())
				}
			}
		})
	}
}

// Percentile is how long the given share of the questions waited at most.
func (b *Bystander) Percentile(share float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(b.waits))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// Asked is how many questions were asked, Failed which of them got no answer.
func (b *Bystander) Asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waits)
}

// Failed are the questions that got no right answer.
func (b *Bystander) Failed() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.failed)
}
