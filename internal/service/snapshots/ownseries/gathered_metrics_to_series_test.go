package ownseries_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stoa.dev/stoa/internal/service/snapshots/ownseries"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestOf: counters are what was added since the sample before, gauges what they are.
func TestOf(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	asked := prometheus.NewCounter(prometheus.CounterOpts{Name: "stoa_asked_seconds_total"})
	held := prometheus.NewGauge(prometheus.GaugeOpts{Name: "stoa_held_bytes"})
	took := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "took_seconds"})
	registry.MustRegister(asked, held, took)
	counted := ownseries.Totals{}
	for n, want := range []map[string]float64{
		{"s.asked_seconds_total": 3, "s.held_bytes": 7, "s.took_seconds.count": 1, "s.took_seconds.sum": 2},
		{"s.asked_seconds_total": 3, "s.held_bytes": 7, "s.took_seconds.count": 1, "s.took_seconds.sum": 2},
	} {
		asked.Add(3)
		held.Set(7)
		took.Observe(2)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		list, known := ownseries.Of(families, "s.", time.Unix(int64(n), 0), 15*time.Second, counted)
		for _, s := range list {
			if s.Samples[0].Value != want[s.Metric] {
				t.Errorf("sample %d of %s is %v, want %v", n, s.Metric, s.Samples[0].Value, want[s.Metric])
			}
		}
		for metric, meta := range map[string]query.Meta{
			"s.asked_seconds_total": {Type: query.Count, Interval: 15, Unit: "second"},
			"s.held_bytes":          {Type: query.Gauge, Unit: "byte"},
			"s.took_seconds.count":  {Type: query.Count, Interval: 15},
		} {
			if known[metric] != meta {
				t.Errorf("%s is %+v, want %+v", metric, known[metric], meta)
			}
		}
	}
}
