package world

import (
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// caches are the caches whose counts are shown, by name.
type caches struct {
	mu    sync.Mutex
	stats map[string]func() memo.Stats
}

// ShowCache shows the counts of a cache among the metrics. The name begins with
// that of the service, as in "tasks.answers". Caches of one name are counted together: the
// memory of none is missing.
func (w *World) ShowCache(name string, stats func() memo.Stats) {
	w.caches.mu.Lock()
	defer w.caches.mu.Unlock()
	if w.caches.stats == nil {
		w.caches.stats = map[string]func() memo.Stats{}
	}
	if others := w.caches.stats[name]; others != nil {
		one := stats
		stats = func() memo.Stats { return others().Plus(one()) }
	}
	w.caches.stats[name] = stats
}

// countCaches registers the metrics of all caches.
func (w *World) countCaches() {
	show := func(metric, help string, value func(memo.Stats) float64) {
		w.showSamples(metric, help, []string{"cache"}, func() (samples []telemetry.Sample) {
			w.caches.mu.Lock()
			defer w.caches.mu.Unlock()
			for _, name := range slices.Sorted(maps.Keys(w.caches.stats)) {
				samples = append(samples, telemetry.Sample{Labels: []string{name}, Value: value(w.caches.stats[name]())})
			}
			return samples
		})
	}
	show("stoa_cache_hits_total", "Values found in a cache.", func(s memo.Stats) float64 { return float64(s.Hits) })
	show("stoa_cache_misses_total", "Values looked for in a cache and not found.",
		func(s memo.Stats) float64 { return float64(s.Misses) })
	show("stoa_cache_entries", "Values in a cache.", func(s memo.Stats) float64 { return float64(s.Entries) })
	show("stoa_cache_bytes", "What a cache holds, in bytes.", func(s memo.Stats) float64 { return float64(s.Bytes) })
}
