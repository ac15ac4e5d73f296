package calendar

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/purge"
)

const sweepKind = Name + ".sweep"

type sweepPayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[sweepPayload]{
			Name: sweepKind, About: "Deletes what no sync token can ask for.", Safe: true, MaxAttempts: 3, Concurrency: 1,
			Run: func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.sweep(ctx) },
		}),
		jobs.Define(jobs.Kind[copyPayload]{
			Name: copyKind, About: "Copies an event to the calendars of its guests.", Safe: true, MaxAttempts: 20,
			Concurrency: 4, PerOwner: jobs.Share{Running: 1, Waiting: 1000},
			Run: func(ctx context.Context, _ jobs.Job, p copyPayload) error { return s.copyEvents(ctx, p) },
		}),
	}
}

// start writes the schedule of the sweep.
func (s *Service) start(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@daily", Kind: sweepKind, Payload: sweepPayload{},
	})
}

// sweep deletes events and entries of lists that were deleted, and channels that
// ended, longer ago than a sync token lives.
func (s *Service) sweep(ctx context.Context) error {
	before := s.world.Clock.Now().Add(-s.config.SyncLifetime)
	if err := purge.Events(ctx, s.world.DB, before, batch, s.purge); err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return errors.Join(listentry.Purge(ctx, tx, before), channel.Purge(ctx, tx, before))
	})
}

// purge deletes events of one calendar and notes it there.
func (s *Service) purge(ctx context.Context, events purge.Batch) error {
	return s.writeEvents(ctx, events.Calendar, func(ctx context.Context, tx *database.Tx) error {
		gone, err := events.Delete(ctx, tx)
		if err != nil || gone == 0 {
			return err
		}
		return errors.Join(countDeleted(ctx, tx, events.Calendar, gone), markPurged(ctx, tx, events.Calendar, events.Newest))
	})
}
