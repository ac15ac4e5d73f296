package snapshots

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// metadataByName returns the zero value for an unknown metric.
func metadataByName(ctx context.Context, q database.Querier, org, metric string) (knownMetric, error) {
	m, err := database.One(ctx, q, func(s database.Scanner) (m knownMetric, err error) {
		err = s.Scan((*string)(&m.Type), &m.Interval, &m.Unit, database.ScanTime(&m.seen))
		return m, err
	}, `SELECT kind, interval_s, unit, seen FROM snapshots_metrics WHERE org = $1 AND metric = $2`, org, metric)
	if errors.Is(err, database.ErrNotFound) {
		return knownMetric{}, nil
	}
	return m, err
}

// upsertMetadata keeps the latest word about a metric.
func upsertMetadata(ctx context.Context, q database.Querier, org, metric string, m knownMetric) error {
	_, err := q.Exec(ctx, `INSERT INTO snapshots_metrics (org, metric, kind, interval_s, unit, seen)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (org, metric) DO UPDATE
		SET kind = excluded.kind, interval_s = excluded.interval_s, seen = excluded.seen,
		unit = CASE WHEN excluded.unit = '' THEN snapshots_metrics.unit ELSE excluded.unit END`,
		org, metric, string(m.Type), m.Interval, m.Unit, database.Time(m.seen))
	return err
}

// deleteMetadata forgets up to most metrics that were not submitted since a time
// and says how many.
func deleteMetadata(ctx context.Context, q database.Querier, before time.Time, limit int) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM snapshots_metrics WHERE (org, metric) IN (
		SELECT org, metric FROM snapshots_metrics WHERE seen < $1 ORDER BY seen
		LIMIT $2)`, database.Time(before), limit)
	return r.RowsAffected, err
}
