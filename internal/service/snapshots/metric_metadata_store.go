package snapshots

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// metadataByName returns the zero value for an unknown metric.
func metadataByName(ctx context.Context, q database.Querier, org, metric string) (knownMetric, error) {
	m, err := database.One(ctx, q, func(s database.Scanner) (m knownMetric, err error) {
		err = s.Scan((*string)(&m.sent.Type), &m.sent.Interval, &m.sent.Unit, database.ScanTime(&m.seen),
			(*string)(&m.edited.Type), &m.edited.Interval, &m.edited.Unit, &m.edited.Description, &m.edited.ShortName)
		m.Meta = m.effective()
		return m, err
	}, `SELECT kind, interval_s, unit, seen, edited_kind, edited_interval, edited_unit, description, short_name
		FROM snapshots_metrics WHERE org = $1 AND metric = $2`, org, metric)
	if errors.Is(err, database.ErrNotFound) {
		return knownMetric{}, nil
	}
	return m, err
}

// updateEdited keeps what an owner says about a metric; false means that there is
// no such metric.
func updateEdited(ctx context.Context, q database.Querier, org, metric string, m MetricMetadata) (bool, error) {
	r, err := q.Exec(ctx, `UPDATE snapshots_metrics SET edited_kind = $3, edited_interval = $4, edited_unit = $5,
		description = $6, short_name = $7 WHERE org = $1 AND metric = $2`,
		org, metric, string(m.Type), m.Interval, m.Unit, m.Description, m.ShortName)
	return r.RowsAffected > 0, err
}

// upsertMetadata keeps the latest word of senders about a metric.
func upsertMetadata(
	ctx context.Context, q database.Querier, org, metric string, m query.Meta, seen time.Time,
) error {
	_, err := q.Exec(ctx, `INSERT INTO snapshots_metrics (org, metric, kind, interval_s, unit, seen)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (org, metric) DO UPDATE
		SET kind = excluded.kind, interval_s = excluded.interval_s, seen = excluded.seen,
		unit = CASE WHEN excluded.unit = '' THEN snapshots_metrics.unit ELSE excluded.unit END`,
		org, metric, string(m.Type), m.Interval, m.Unit, database.Time(seen))
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
