package world

import (
	"context"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/telemetry"
)

const (
	// countEvery is how often the jobs are counted at most, however often
	// the metrics are asked for.
	countEvery = 5 * time.Second
	// countTime bounds one count.
	countTime = 2 * time.Second
)

// countJobs shows the jobs by kind and state among the metrics.
func (w *World) countJobs() {
	c := &jobCounts{}
	remove := w.Telemetry.Gauges("stoa_jobs",
		"Jobs that are not finished, by kind and state; dead ones wait for an operator.",
		[]string{"kind", "state"}, func() []telemetry.Sample { return c.read(w) })
	w.onClose(func() error { remove(); return nil })
}

// jobCounts is the last count. It is paced by real time, as the machine is.
type jobCounts struct {
	mu      sync.Mutex
	at      time.Time
	samples []telemetry.Sample
}

func (c *jobCounts) read(w *World) []telemetry.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Real().Now()
	if now.Sub(c.at) < countEvery {
		return c.samples
	}
	c.at, c.samples = now, nil
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	counts, err := w.Jobs.Counts(ctx)
	if err != nil {
		w.Telemetry.Log.Warn("the jobs could not be counted for the metrics", "error", err)
		return nil
	}
	for _, n := range counts {
		c.samples = append(c.samples, telemetry.Sample{Labels: []string{n.Kind, string(n.State)}, Value: float64(n.N)})
	}
	return c.samples
}
