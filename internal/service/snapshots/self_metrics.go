package snapshots

import (
	"context"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

// selfRecorder samples the server's own metrics. While the metrics store is closed
// the samples wait in memory, so that an idle server stays small and its first
// graph still shows the past hour.
type selfRecorder struct {
	mu      sync.Mutex
	waiting [][]metrics.Series
	points  int
	store   *metrics.Local
	cancel  context.CancelFunc
	done    chan struct{}
}

// maxWaiting bounds the points that wait in memory, about an hour's worth.
const maxWaiting = 20_000

// start begins to sample; stop ends it.
func (o *selfRecorder) start(s *Service) {
	if s.config.OwnMetrics == 0 || s.config.Backend != "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel, o.done = cancel, make(chan struct{})
	go func() {
		defer close(o.done)
		for clock.Sleep(ctx, s.world.Clock, s.config.OwnMetrics) == nil {
			o.record(ctx, s)
		}
	}()
}

func (o *selfRecorder) stop() {
	if o.cancel != nil {
		o.cancel()
		<-o.done
	}
}

// opened is called by the store when it is first used; what waits goes there.
func (o *selfRecorder) opened(l *metrics.Local) {
	o.mu.Lock()
	o.store = l
	o.mu.Unlock()
	o.flush(context.Background())
}

// record takes one sample.
func (o *selfRecorder) record(ctx context.Context, s *Service) {
	families, err := s.world.Telemetry.Registry().Gather()
	if err != nil && len(families) == 0 {
		return // a broken collector shows at the metrics address
	}
	batch := ownSeries(families, s.world.Clock.Now())
	o.mu.Lock()
	o.waiting = append(o.waiting, batch)
	o.points += len(batch)
	for o.points > maxWaiting && len(o.waiting) > 1 {
		o.points -= len(o.waiting[0])
		o.waiting = o.waiting[1:]
	}
	o.mu.Unlock()
	o.flush(ctx)
	s.rendered.forget(ownOrg)
}

// flush writes what waits when the store is open. What cannot be written now
// is written with the next sample.
func (o *selfRecorder) flush(ctx context.Context) {
	o.mu.Lock()
	batches, store := o.waiting, o.store
	if store == nil {
		o.mu.Unlock()
		return
	}
	o.waiting, o.points = nil, 0
	o.mu.Unlock()
	for i, b := range batches {
		if _, err := store.Write(ctx, ownOrg, b); err != nil {
			o.mu.Lock()
			o.waiting = append(batches[i:], o.waiting...)
			o.mu.Unlock()
			return
		}
	}
}

// ownSeries turns gathered families into series: counters and gauges as they
// are, histograms as their count and sum.
func ownSeries(families []*dto.MetricFamily, now time.Time) []metrics.Series {
	var out []metrics.Series
	ms := now.UnixMilli()
	for _, f := range families {
		name := ownPrefix + strings.TrimPrefix(f.GetName(), "stoa_")
		for _, m := range f.Metric {
			var tags []string
			for _, l := range m.Label {
				tags = append(tags, l.GetName()+":"+l.GetValue())
			}
			add := func(suffix string, v float64) {
				out = append(out, metrics.Series{
					Metric: name + suffix, Tags: metrics.Normalize(tags), Samples: []metrics.Sample{{Ms: ms, Value: v}},
				})
			}
			switch {
			case m.Counter != nil:
				add("", m.Counter.GetValue())
			case m.Gauge != nil:
				add("", m.Gauge.GetValue())
			case m.Histogram != nil:
				add(".count", float64(m.Histogram.GetSampleCount()))
				add(".sum", m.Histogram.GetSampleSum())
			}
		}
	}
	return out
}
