package snapshots

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// MetricMetadata is what an owner says about a metric.
type MetricMetadata struct {
	query.Meta
	Description, ShortName string
}

// maxDescription bounds what is said about a metric.
const maxDescription = 4_000

// Metadata is what is known about a metric of a tenant.
func (s *Service) Metadata(ctx context.Context, t Tenant, metric string) (MetricMetadata, error) {
	m, err := s.metadataOf(ctx, source{s, t}.org(metric), metric)
	if err != nil {
		return MetricMetadata{}, err
	}
	if m.seen.IsZero() {
		return MetricMetadata{}, errNotFound("metric")
	}
	out := m.edited
	out.Meta = m.Meta
	return out, nil
}

// EditMetadata keeps what an owner says about a metric that was submitted before:
// it goes before what senders say. What is left out stays.
func (s *Service) EditMetadata(
	ctx context.Context, t Tenant, metric string, change func(*MetricMetadata) error,
) (MetricMetadata, error) {
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		have, err := metadataByName(ctx, tx, t.Org, metric)
		if err != nil {
			return err
		}
		if err := change(&have.edited); err != nil {
			return err
		}
		if err := have.edited.check(); err != nil {
			return err
		}
		known, err := updateEdited(ctx, tx, t.Org, metric, have.edited)
		if err == nil && !known {
			err = errNotFound("metric")
		}
		return err
	})
	if err != nil {
		return MetricMetadata{}, err
	}
	s.metadataCache.Forget(metadataKey(t.Org, metric))
	s.rendered.forget(t.Org) // units are drawn
	return s.Metadata(ctx, t, metric)
}

func (m MetricMetadata) check() error {
	switch m.Type {
	case query.Unspecified, query.Gauge, query.Count, query.Rate, query.DistribType:
	default:
		return errInvalid("type is gauge, count, rate or distribution, not %q", string(m.Type))
	}
	switch {
	case m.Interval < 0 || m.Interval >= query.MaxInterval:
		return errInvalid("statsd_interval is a number of seconds, not %d", m.Interval)
	case len(m.Unit) > metrics.MaxUnit:
		return errInvalid("unit and per_unit are longer than %d bytes", metrics.MaxUnit)
	case len(m.Description) > maxDescription || len(m.ShortName) > maxDescription:
		return errInvalid("description and short_name are at most %d bytes long", maxDescription)
	}
	return nil
}

// knownMetric is what is known about a metric and when that was written: what
// counts, what senders say, and what the owner says.
type knownMetric struct {
	query.Meta
	sent   query.Meta
	edited MetricMetadata
	seen   time.Time
}

// effective is what the owner says, and else what senders say.
func (m knownMetric) effective() query.Meta {
	out := m.sent
	if m.edited.Type != "" {
		out.Type = m.edited.Type
	}
	if m.edited.Interval != 0 {
		out.Interval = m.edited.Interval
	}
	if m.edited.Unit != "" {
		out.Unit = m.edited.Unit
	}
	return out
}

// seenAgain is when a metric that is still submitted is written again: those that
// are not are forgotten after the time that points are kept.
const seenAgain = 24 * time.Hour

// maxMetadata bounds the metrics that are known without a read.
const maxMetadata = 100_000

// metadataOf is what is known about a metric now.
func (s *Service) metadataOf(ctx context.Context, org, metric string) (knownMetric, error) {
	if org == ownOrg {
		if m, ok := s.own.about(metric); ok {
			return m, nil
		}
	}
	if !s.remembers() {
		return metadataByName(ctx, s.world.DB, org, metric)
	}
	return s.seenMetadata(ctx, org, metric)
}

// seenMetadata is what this process last saw of a metric. Another process may have
// changed it since: it is for what decides whether a write is needed, no more.
func (s *Service) seenMetadata(ctx context.Context, org, metric string) (knownMetric, error) {
	key := metadataKey(org, metric)
	meta, mark, ok := s.metadataCache.Look(key)
	if ok {
		return meta, nil
	}
	meta, err := metadataByName(ctx, s.world.DB, org, metric)
	if err == nil && !meta.seen.IsZero() {
		s.metadataCache.PutSince(key, meta, mark)
	}
	return meta, err
}

func metadataKey(org, metric string) string { return org + "\x00" + metric }
