package snapshots

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/ownseries"
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
	known   map[string]query.Meta // of the last sample, which seen is the time of
	seen    time.Time
	cancel  context.CancelFunc
	done    chan struct{}
}

// maxWaiting bounds the points that wait in memory, about an hour's worth.
const maxWaiting = 20_000

// start begins to sample; stop ends it.
func (o *selfRecorder) start(s *Service) {
	if s.config.OwnMetrics == 0 || s.config.Backend != "" || smallbuild.Enabled {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel, o.done = cancel, make(chan struct{})
	go func() {
		defer close(o.done)
		counted := ownseries.Totals{}
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
	_ = o.flush(context.Background()) // what the store does not take waits for the next sample, which says so
}

// record takes one sample.
func (o *selfRecorder) record(ctx context.Context, s *Service, counted ownseries.Totals) {
	families, err := s.world.Telemetry.Registry().Gather()
	if err != nil && len(families) == 0 {
		return // a broken collector shows at the metrics address
	}
	now := s.world.Clock.Now()
	batch, known := ownseries.Of(families, ownPrefix, now, s.config.OwnMetrics, counted)
	o.mu.Lock()
	o.known, o.seen = known, now
	open := o.store != nil
	o.mu.Unlock()
	o.wait(batch)
	err = o.flush(ctx)
	if open {
		err = errors.Join(err, o.keepKnown(ctx, s, known))
	}
	if err != nil && ctx.Err() == nil {
		s.world.Telemetry.Log.WarnContext(ctx, "server's own metrics not stored", "error", err)
	}
	s.rendered.forget(ownOrg)
}

// wait keeps a sample in memory, in the place of the oldest when there are too many.
func (o *selfRecorder) wait(batch []metrics.Series) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting, o.points = append(o.waiting, batch), o.points+len(batch)
	for o.points > maxWaiting && len(o.waiting) > 1 {
		o.points -= len(o.waiting[0])
		o.waiting = o.waiting[1:]
	}
}

// keepKnown stores what the metrics are, for a process that has not counted them yet.
func (*selfRecorder) keepKnown(ctx context.Context, s *Service, known map[string]query.Meta) error {
	fresh, err := s.unknown(ctx, ownOrg, known)
	if err != nil {
		return err
	}
	return s.remember(ctx, ownOrg, fresh)
}

// about is what the last sample tells of a metric.
func (o *selfRecorder) about(metric string) (knownMetric, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m, ok := o.known[metric]
	return knownMetric{Meta: m, sent: m, seen: o.seen}, ok
}

// flush writes what waits when the store is open. What it does not take waits for the next sample.
func (o *selfRecorder) flush(ctx context.Context) error {
	o.mu.Lock()
	batches, store := o.waiting, o.store
	if store == nil {
		o.mu.Unlock()
		return nil
	}
	o.waiting, o.points = nil, 0
	o.mu.Unlock()
	for i, b := range batches {
		if _, err := store.Write(ctx, ownOrg, b); err != nil {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.waiting = append(batches[i:], o.waiting...)
			for _, left := range batches[i:] {
				o.points += len(left)
			}
			return err
		}
	}
	return nil
}
