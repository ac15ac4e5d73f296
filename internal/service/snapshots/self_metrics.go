package snapshots

import (
	"context"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// selfRecorder samples the server's own metrics. While the metrics store is closed
// the samples wait in memory, so that an idle server stays small and its first
// graph still shows the past hour.
type selfRecorder struct {
	mu      sync.Mutex
	waiting [][]metrics.Series
	points  int
	store   *metrics.Local
	// known is what each metric is, as knownMetric tells.
	known  map[string]query.Meta
	seen   time.Time
	cancel context.CancelFunc
	done   chan struct{}
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
		counted := totals{}
		for clock.Sleep(ctx, s.world.Clock, s.config.OwnMetrics) == nil {
			o.record(ctx, s, counted)
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
func (o *selfRecorder) record(ctx context.Context, s *Service, counted totals) {
	families, err := s.world.Telemetry.Registry().Gather()
	if err != nil && len(families) == 0 {
		return // a broken collector shows at the metrics address
	}
	now := s.world.Clock.Now()
	batch, known := ownSeries(families, now, s.config.OwnMetrics, counted)
	o.mu.Lock()
	o.known, o.seen = known, now
	o.waiting = append(o.waiting, batch)
	o.points += len(batch)
	for o.points > maxWaiting && len(o.waiting) > 1 {
		o.points -= len(o.waiting[0])
		o.waiting = o.waiting[1:]
	}
	open := o.store != nil
	o.mu.Unlock()
	o.flush(ctx)
	if open {
		o.keepKnown(ctx, s, known)
	}
	s.rendered.forget(ownOrg)
}

// keepKnown stores what the metrics are, for those that a later process has not
// counted yet. What cannot be written now is written with the next sample.
func (*selfRecorder) keepKnown(ctx context.Context, s *Service, known map[string]query.Meta) {
	fresh, err := s.unknown(ctx, ownOrg, known)
	if err == nil {
		err = s.remember(ctx, ownOrg, fresh)
	}
	if err != nil && ctx.Err() == nil {
		s.world.Telemetry.Log.WarnContext(ctx, "what the server's own metrics are was not stored", "error", err)
	}
}

// about is what the last sample tells of a metric.
func (o *selfRecorder) about(metric string) (knownMetric, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m, ok := o.known[metric]
	return knownMetric{Meta: m, sent: m, seen: o.seen}, ok
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

// totals are the counters of the last sample, by metric and tags.
type totals map[string]float64

// since is what was added to a counter since the last sample. A counter begins at
// zero with its process.
func (t totals) since(key string, total float64) float64 {
	added := total - t[key]
	t[key] = total
	return added
}

// ownSeries turns gathered families into series, and says what each metric is.
// Counters become what was added since the last sample, which is what a count is
// here: as_rate and as_count are right for them. Histograms are two counters, their
// count and their sum.
func ownSeries(
	families []*dto.MetricFamily, now time.Time, every time.Duration, counted totals,
) (out []metrics.Series, known map[string]query.Meta) {
	known = map[string]query.Meta{}
	ms := now.UnixMilli()
	for _, f := range families {
		name := ownPrefix + strings.TrimPrefix(f.GetName(), "stoa_")
		for _, m := range f.Metric {
			var tags []string
			for _, l := range m.Label {
				tags = append(tags, l.GetName()+":"+l.GetValue())
			}
			tags = metrics.Normalize(tags)
			add := func(metric string, kind query.MetricType, unit string, v float64) {
				meta := query.Meta{Type: kind, Unit: unit}
				if kind == query.Count {
					meta.Interval = int64(every / time.Second)
					v = counted.since(metric+"{"+strings.Join(tags, ",")+"}", v)
				}
				known[metric] = meta
				out = append(out, metrics.Series{
					Metric: metric, Tags: tags, Samples: []metrics.Sample{{Ms: ms, Value: v}},
				})
			}
			switch {
			case m.Counter != nil:
				add(name, query.Count, unitOf(name), m.Counter.GetValue())
			case m.Gauge != nil:
				add(name, query.Gauge, unitOf(name), m.Gauge.GetValue())
			case m.Histogram != nil:
				add(name+".count", query.Count, "", float64(m.Histogram.GetSampleCount()))
				add(name+".sum", query.Count, unitOf(name), m.Histogram.GetSampleSum())
			}
		}
	}
	return out, known
}

// unitOf is the unit that the name of a metric ends with.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"byte", "second"} {
		if strings.HasSuffix(name, "_"+unit+"s") {
			return unit
		}
	}
	return ""
}
