package drive

import (
	"cmp"
	"context"
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
	// PID is the server's process where its processor time is wanted.
	PID int
}

// Run calls for warm plus length and measures the second part. It also returns
// the sorted latencies, for those who look at the far tail.
func (l Loop) Run(ctx context.Context) (Sample, []time.Duration, error) {
	latency, failed := make([][]time.Duration, l.Clients), make([]error, l.Clients)
	begin := time.Now().Add(l.Warm)
	end := begin.Add(l.Length)
	var group sync.WaitGroup
	for i := range l.Clients {
		group.Go(func() { latency[i], failed[i] = l.client(ctx, begin, end) })
	}
	var used time.Duration
	group.Go(func() { used = processorTime(l.PID, begin, end) })
	group.Wait()
	all := slices.Concat(latency...)
	s := Summarize(all, l.Length)
	s.spread(used, l.Length)
	return s, all, cmp.Or(failed...)
}

// client is the loop of one goroutine.
func (l Loop) client(ctx context.Context, begin, end time.Time) (latency []time.Duration, err error) {
	for {
		start := time.Now()
		if start.After(end) {
			return latency, nil
		}
		if err := l.Call(ctx); err != nil {
			return nil, err
		}
		if done := time.Now(); start.After(begin) && done.Before(end) {
			latency = append(latency, done.Sub(start))
		}
	}
}
