package store

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/cron"
	"stoa.dev/stoa/internal/platform/jobs/leases"
)

// rewind repairs what a clock that went back would leave waiting for it to come around
// again.
func (c *Cycle) rewind(ctx context.Context, tx *database.Tx) error {
	if err := leases.Rewind(ctx, tx, c.Now, c.Lease); err != nil {
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
