package drive

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Loop is a measurement of calls that are not HTTP/1.1: clients goroutines that
// each call again when the last call has returned.
type Loop struct {
	Clients int
	Warm    time.Duration
	Length  time.Duration
	Call    func(ctx context.Context) error
}

// Run calls for warm plus length and returns the sorted latencies of the second
// part; Summarize makes a sample of them.
func (l Loop) Run(ctx context.Context) ([]time.Duration, error) {
	latency, failed := make([][]time.Duration, l.Clients), make([]error, l.Clients)
	begin := time.Now().Add(l.Warm)
	end := begin.Add(l.Length)
	var group sync.WaitGroup
	for i := range l.Clients {
		group.Go(func() {
			for {
				start := time.Now()
				if start.After(end) {
					return
				}
				if failed[i] = l.Call(ctx); failed[i] != nil {
					return
				}
				if done := time.Now(); start.After(begin) && done.Before(end) {
					latency[i] = append(latency[i], done.Sub(start))
				}
			}
		})
	}
	group.Wait()
	all := slices.Concat(latency...)
	slices.Sort(all)
	return all, errors.Join(failed...)
}
