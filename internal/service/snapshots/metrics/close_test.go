//go:build !small

package metrics_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestCloseWaitsForCalls closes the store while others write and read. Each call
// is served whole or told that the store is closed.
func TestCloseWaitsForCalls(t *testing.T) {
	t.Parallel()
	l := metrics.NewLocal(metrics.Options{Dir: t.TempDir(), Retention: 24 * time.Hour})
	var calls, begun sync.WaitGroup
	for n := range 8 {
		begun.Add(1)
		calls.Go(func() {
			for i := 0; ; i++ {
				_, err := l.Write(t.Context(), "o1", []metrics.Series{
					{Metric: "m", Samples: []metrics.Sample{{Ms: start + int64(i*8+n)*1000, Value: 1}}},
				})
				if err == nil {
					s := query.Selection{Metric: "m", Scope: query.Everything{}, From: start, To: start + 1000}
					err = l.Select(t.Context(), "o1", s,
						func(query.Tags, query.Samples) error { return nil })
				}
				if i == 0 {
					begun.Done()
				}
				if err != nil {
					if !errors.Is(err, metrics.ErrClosed) {
						t.Errorf("call %d during the close: %v", i, err)
					}
					return
				}
			}
		})
	}
	begun.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if err := l.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}
