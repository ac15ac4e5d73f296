package store

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/cron"
)

// rewind repairs what a clock that went back would leave waiting for it to come
// around again: jobs that were to run at once, retries and leases. Times that
// were asked for stay as they are.
func (c *Cycle) rewind(ctx context.Context, tx *database.Tx) error {
	now := database.Time(c.Now)
	for _, text := range []string{
		`UPDATE stoa_jobs SET due = $1, claim_at = $1
			WHERE state = 'ready' AND claim_at > $1 AND (failed > $1 OR (enqueued > $1 AND asked <= enqueued))`,
		`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'blocked' AND enqueued > $1 AND asked <= enqueued`,
		`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'suspect' AND claim_at > $1`,
	} {
		if _, err := tx.Exec(ctx, text, now); err != nil {
			return err
		}
	}
	// A process that lives extends its leases in time.
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET claim_at = CASE WHEN asked > enqueued AND asked > $1 THEN asked ELSE $1 END
		WHERE state = 'running' AND claim_at > $1`, database.Time(c.Lease))
	if err != nil {
		return err
	}
	return c.rewindSchedules(ctx, tx)
}

// rewindSchedules lets schedules that fired ahead of now fire by the new time.
func (c *Cycle) rewindSchedules(ctx context.Context, tx *database.Tx) error {
	all, err := Schedules(ctx, tx)
	if err != nil {
		return err
	}
	for _, s := range all {
		spec, err := cron.Parse(s.Spec)
		if err != nil {
			continue // firing it reports that
		}
		if next := spec.Next(c.Now); next.Before(s.Next) {
			if _, err := moveSchedule(ctx, tx, s, s.Last, next); err != nil {
				return err
			}
		}
	}
	return nil
}
