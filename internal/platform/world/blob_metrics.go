package world

import (
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/watched"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// watchBlobs makes a store the world's, with its metrics.
func (w *World) watchBlobs(store blob.Store) {
	s := watched.New(store)
	w.Blobs = s
	labels := []string{"operation", "outcome"}
	read := func(value func(watched.Count) float64) func() []telemetry.Sample {
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
		read(func(c watched.Count) float64 { return float64(c.N) }))
	w.showSamples("stoa_blob_operation_seconds_total", "Time that operations on the blob store took.", labels,
		read(func(c watched.Count) float64 { return c.Took.Seconds() }))
}

// showSamples shows a metric until the world is closed.
func (w *World) showSamples(name, help string, labels []string, read func() []telemetry.Sample) {
	remove := w.Telemetry.Samples(name, help, labels, read)
	w.onClose(func() error { remove(); return nil })
}
