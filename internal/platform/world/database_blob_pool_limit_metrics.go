package world

import (
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/instrumented"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// countStores shows what the database, the queue, the pools and the limits did.
func (w *World) countStores() {
	w.countDatabase()
	w.countAttempts()
	w.countPools()
	w.countDeliveries()
	w.countPrograms()
	w.showSamples("stoa_limit_decisions_total", "Charges of limits, by limit and whether they were made.",
		[]string{"limit", "outcome"}, w.decisions.samples)
}

func (w *World) countDatabase() {
	showFloat := func(name, help string, value func(database.Stats) float64) {
		w.showSamples(name, help, []string{"engine"}, func() []telemetry.Sample {
			s := w.DB.Stats()
			return []telemetry.Sample{{Labels: []string{string(s.Engine)}, Value: value(s)}}
		})
	}
	show := func(name, help string, value func(database.Stats) int64) {
		showFloat(name, help, func(s database.Stats) float64 { return float64(value(s)) })
	}
	show("stoa_database_transactions_total", "Write transactions answered, failed ones included.",
		func(s database.Stats) int64 { return s.Transactions })
	show("stoa_database_commits_total", "Commits made durable; on SQLite many transactions share one.",
		func(s database.Stats) int64 { return s.Commits })
	show("stoa_database_largest_batch", "Most transactions that shared one commit.",
		func(s database.Stats) int64 { return s.LargestBatch })
	show("stoa_database_queued", "Transactions that wait for the SQLite writer.",
		func(s database.Stats) int64 { return s.Queued })
	showFloat("stoa_database_writer_seconds_total",
		"Time that the SQLite writer ran transactions and committed them; one second a second is all it can do.",
		func(s database.Stats) float64 { return s.Writing.Seconds() })
	show("stoa_database_retries_total", "Transactions run again after a serialization failure.",
		func(s database.Stats) int64 { return s.Retries })
	show("stoa_database_readers_open", "Reading connections.", func(s database.Stats) int64 { return s.ReadersOpen })
	show("stoa_database_readers_busy", "Reading connections in use.",
		func(s database.Stats) int64 { return s.ReadersBusy })
}

// countPools shows what requests share. The pools belong to the process: of several
// worlds with a registry each shows the same.
func (w *World) countPools() {
	show := func(name, help string, value func(*budget.Pool) int64) {
		w.showSamples(name, help, []string{"pool"}, func() []telemetry.Sample {
			return []telemetry.Sample{
				{Labels: []string{"memory"}, Value: float64(value(w.Memory))},
				{Labels: []string{"requests"}, Value: float64(value(w.Requests))},
			}
		})
	}
	show("stoa_pool_used", "What is taken of a pool that requests share: bytes, or requests in progress.",
		(*budget.Pool).Used)
	show("stoa_pool_size", "The size of a pool that requests share.", (*budget.Pool).Total)
}

// decisions counts what limits decided.
type decisions struct {
	mu     sync.Mutex
	counts map[[2]string]int64
}

func (c *decisions) add(d limit.Decision) {
	outcome := "refused"
	if d.Allowed {
		outcome = "allowed"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[[2]string]int64{}
	}
	c.counts[[2]string{d.Name, outcome}]++
}

func (c *decisions) samples() (samples []telemetry.Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(c.counts), func(a, b [2]string) int {
		return slices.Compare(a[:], b[:])
	})
	for _, key := range keys {
		samples = append(samples, telemetry.Sample{Labels: []string{key[0], key[1]}, Value: float64(c.counts[key])})
	}
	return samples
}

// watchBlobs makes a store the world's, with its metrics.
func (w *World) watchBlobs(store blob.Store) {
	s := instrumented.New(store)
	w.Blobs = s
	labels := []string{"operation", "outcome"}
	read := func(value func(instrumented.Count) float64) func() []telemetry.Sample {
		return func() (samples []telemetry.Sample) {
			for _, c := range s.Counts().All() {
				samples = append(samples, telemetry.Sample{
					Labels: []string{string(c.Operation), string(c.Outcome)}, Value: value(c),
				})
			}
			return samples
		}
	}
	w.showSamples("stoa_blob_operations_total", "Operations on the blob store, by how they ended.", labels,
		read(func(c instrumented.Count) float64 { return float64(c.N) }))
	w.showSamples("stoa_blob_operation_seconds_total", "Time that operations on the blob store took.", labels,
		read(func(c instrumented.Count) float64 { return c.Took.Seconds() }))
}

// showSamples shows a metric until the world is closed.
func (w *World) showSamples(name, help string, labels []string, read func() []telemetry.Sample) {
	remove := w.Telemetry.Samples(name, help, labels, read)
	w.onClose(func() error { remove(); return nil })
}
