package snapshots

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// metadata returns the zero value for an unknown metric.
func (store) metadata(ctx context.Context, q database.Querier, org, metric string) (query.Meta, error) {
	m, err := database.One(ctx, q, func(s database.Scanner) (query.Meta, error) {
		var m query.Meta
		err := s.Scan((*string)(&m.Type), &m.Interval, &m.Unit)
		return m, err
	}, `SELECT kind, interval_s, unit FROM snapshots_metrics WHERE org = $1 AND metric = $2`, org, metric)
	if errors.Is(err, database.ErrNotFound) {
		return query.Meta{}, nil
	}
	return m, err
}

// putMetadata keeps the latest word about a metric.
func (store) putMetadata(ctx context.Context, q database.Querier, org, metric string, m query.Meta) error {
	_, err := q.Exec(ctx, `INSERT INTO snapshots_metrics (org, metric, kind, interval_s, unit) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (org, metric) DO UPDATE SET kind = excluded.kind, interval_s = excluded.interval_s,
		unit = CASE WHEN excluded.unit = '' THEN snapshots_metrics.unit ELSE excluded.unit END`,
		org, metric, string(m.Type), m.Interval, m.Unit)
	return err
}
