package world

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/memo"
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
	remove := w.Telemetry.Samples("stoa_jobs",
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

func (c *jobCounts) read(w *World) []telemetry.Sample { return c.readBy(w, w.jobStates) }

// jobStates are the jobs by kind and state.
func (w *World) jobStates(ctx context.Context) (samples []telemetry.Sample, err error) {
	counts, err := w.Jobs.Counts(ctx)
	for _, n := range counts {
		samples = append(samples, telemetry.Sample{Labels: []string{n.Kind, string(n.State)}, Value: float64(n.N)})
	}
	return samples, err
}

// readBy gives what count says, or what it said a moment ago.
func (c *jobCounts) readBy(
	w *World, count func(context.Context) ([]telemetry.Sample, error),
) []telemetry.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Real().Now()
	if now.Sub(c.at) < countEvery {
		return c.samples
	}
	c.at, c.samples = now, nil
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	samples, err := count(ctx)
	if err != nil {
		w.Telemetry.Log.LogAttrs(ctx, slog.LevelWarn, "jobs not counted for the metrics", slog.Any("error", err))
		return nil
	}
	c.samples = samples
	return c.samples
}

// caches are the caches whose counts are shown, by name.
type caches struct {
	mu    sync.Mutex
	stats map[string]func() memo.Stats
}

// ShowCache shows the counts of a cache among the metrics. The name begins with
// that of the service, as in "tasks.answers".
func (w *World) ShowCache(name string, stats func() memo.Stats) {
	w.caches.mu.Lock()
	defer w.caches.mu.Unlock()
	if w.caches.stats == nil {
		w.caches.stats = map[string]func() memo.Stats{}
	}
	w.caches.stats[name] = stats
}

// countCaches registers the metrics of all caches.
func (w *World) countCaches() {
	show := func(metric, help string, value func(memo.Stats) float64) {
		remove := w.Telemetry.Samples(metric, help, []string{"cache"}, func() (samples []telemetry.Sample) {
			w.caches.mu.Lock()
			defer w.caches.mu.Unlock()
			for _, name := range slices.Sorted(maps.Keys(w.caches.stats)) {
				value := value(w.caches.stats[name]())
				samples = append(samples, telemetry.Sample{Labels: []string{name}, Value: value})
			}
			return samples
		})
		w.onClose(func() error { remove(); return nil })
	}
	show("stoa_cache_hits_total", "Values found in a cache.", func(s memo.Stats) float64 { return float64(s.Hits) })
	show("stoa_cache_misses_total", "Values looked for in a cache and not found.",
		func(s memo.Stats) float64 { return float64(s.Misses) })
	show("stoa_cache_entries", "Values in a cache.", func(s memo.Stats) float64 { return float64(s.Entries) })
}
