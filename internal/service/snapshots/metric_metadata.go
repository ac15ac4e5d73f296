package snapshots

import (
	"context"

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
	m, err := s.known.get(ctx, s, source{s, t}.org(metric), metric)
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
	s.known.forget(t.Org, metric)
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
	case m.Interval < 0 || m.Interval >= 1e9:
		return errInvalid("statsd_interval is a number of seconds, not %d", m.Interval)
	case len(m.Unit) > metrics.MaxUnit:
		return errInvalid("unit and per_unit are longer than %d bytes", metrics.MaxUnit)
	case len(m.Description) > maxDescription || len(m.ShortName) > maxDescription:
		return errInvalid("description and short_name are at most %d bytes long", maxDescription)
	}
	return nil
}
