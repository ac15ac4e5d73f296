// Package workqueue declares what github.com/prometheus/prometheus/discovery names of
// the Kubernetes client.
package workqueue

// GaugeMetric goes up and down.
type GaugeMetric interface {
	Inc()
	Dec()
}

// SettableGaugeMetric is set.
type SettableGaugeMetric interface{ Set(value float64) }

// CounterMetric goes up.
type CounterMetric interface{ Inc() }

// HistogramMetric takes values.
type HistogramMetric interface{ Observe(value float64) }

// MetricsProvider makes the metrics of a queue.
type MetricsProvider interface {
	NewDepthMetric(name string) GaugeMetric
	NewAddsMetric(name string) CounterMetric
	NewLatencyMetric(name string) HistogramMetric
	NewWorkDurationMetric(name string) HistogramMetric
	NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric
	NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric
	NewRetriesMetric(name string) CounterMetric
}

// SetProvider does nothing: there are no queues.
func SetProvider(MetricsProvider) {}
