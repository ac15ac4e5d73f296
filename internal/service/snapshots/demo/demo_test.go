package demo_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/demo"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

// The same clock gives the same points, a day of them, all of which can be drawn.
func TestSeries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	list := demo.Series(now)
	if !reflect.DeepEqual(list, demo.Series(now)) {
		t.Error("two calls give different points")
	}
	names := map[string]int{}
	for _, s := range list {
		names[s.Metric]++
		if !metrics.ValidMetric(s.Metric) || len(s.Tags) == 0 {
			t.Errorf("series %s %v", s.Metric, s.Tags)
		}
		first, last := s.Samples[0], s.Samples[len(s.Samples)-1]
		if last.Ms-first.Ms != 24*time.Hour.Milliseconds() {
			t.Errorf("%s spans %d ms, want a day", s.Metric, last.Ms-first.Ms)
		}
		for _, p := range s.Samples {
			if math.IsNaN(p.Value) || p.Value < 0 || p.Sketch != nil && p.Sketch.Count == 0 {
				t.Fatalf("%s has the point %+v", s.Metric, p)
			}
		}
	}
	for name, want := range map[string]int{
		"system.cpu.user": 4, "system.mem.used": 4, "http.request.duration": 4, "http.requests": 4,
	} {
		if names[name] != want {
			t.Errorf("%d series of %s, want %d", names[name], name, want)
		}
	}
}
