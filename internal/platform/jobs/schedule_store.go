package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// putSchedule writes a schedule and returns its next firing.
func putSchedule(ctx context.Context, tx *database.Tx, s Schedule, payload []byte, next time.Time) (time.Time, error) {
	return database.One(ctx, tx, scanTime, `
		INSERT INTO stoa_schedules AS s (name, spec, kind, payload, catch_up, next) VALUES ($1, $2, $3, $4, FALSE, $5)
		ON CONFLICT (name) DO UPDATE SET
			kind = excluded.kind, payload = excluded.payload, spec = excluded.spec,
			next = CASE WHEN s.spec = excluded.spec THEN s.next ELSE excluded.next END
		RETURNING next`,
		s.Name, s.Spec, s.Kind, payload, database.Time(next))
}

func deleteSchedule(ctx context.Context, tx *database.Tx, name string) error {
	res, err := tx.Exec(ctx, `DELETE FROM stoa_schedules WHERE name = $1`, name)
	if err == nil && res.RowsAffected == 0 {
		return ErrNotFound
	}
	return err
}

func listSchedules(ctx context.Context, q database.Querier) ([]storedSchedule, error) {
	return database.All(ctx, q, scanSchedule, `
		SELECT name, spec, kind, payload, next, last FROM stoa_schedules ORDER BY name`)
}

func dueSchedules(ctx context.Context, q database.Querier, kinds []any, now time.Time) ([]storedSchedule, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	return database.All(ctx, q, scanSchedule, `
		SELECT name, spec, kind, payload, next, last FROM stoa_schedules
		WHERE next <= $1 AND kind IN (`+database.Placeholders(2, len(kinds))+`) ORDER BY next, name`,
		append([]any{database.Time(now)}, kinds...)...)
}

func scanSchedule(row database.Scanner) (s storedSchedule, err error) {
	err = row.Scan(&s.name, &s.spec, &s.kind, &s.payload, database.ScanTime(&s.next), database.ScanNullTime(&s.last))
	return s, err
}

// moveSchedule sets the next firing unless another process already did: it
// compares with what was read, under the row's lock.
func moveSchedule(ctx context.Context, tx *database.Tx, s storedSchedule, last, next time.Time) (bool, error) {
	res, err := tx.Exec(ctx, `
		UPDATE stoa_schedules SET next = $3, last = $4 WHERE name = $1 AND next = $2 AND spec = $5`,
		s.name, database.Time(s.next), database.Time(next), database.Time(last), s.spec)
	return res.RowsAffected == 1, err
}

// nextSchedule is when the next schedule of a registered kind fires.
func (q *Queue) nextSchedule(ctx context.Context, db database.Querier) (time.Time, error) {
	kinds := q.claimAll().kinds
	if len(kinds) == 0 {
		return database.MaxTime(), nil
	}
	return orMaxTime(database.One(ctx, db, scanTime, `
		SELECT next FROM stoa_schedules WHERE kind IN (`+database.Placeholders(1, len(kinds))+`) ORDER BY next LIMIT 1`, kinds...))
}
