package events

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/events/hooks"
)

const sweepKind = Name + ".sweep"

// sweepPayload is empty: what is due follows from the clock.
type sweepPayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[sweepPayload]{
		Name:  sweepKind,
		About: "Deletes events that are older than what is kept.",
		Safe:  true,
		Run:   func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.Sweep(ctx) },
	})}
}

// start writes the schedule of the clean-up.
func (s *Service) start(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweepPayload{},
	})
}

func (s *Service) close() error {
	s.loads.Close()
	return nil
}

// sweepBatch bounds one transaction of the clean-up.
const sweepBatch = 1000

// Sweep deletes the events that no feed shows any more, and old deliveries of hooks.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.now().Add(-maxAge - time.Hour)
	for {
		var n int64
		err := s.world.DB.WriteKeyed(ctx, Name+"/sweep", func(ctx context.Context, tx *database.Tx) error {
			var err error
			if n, err = deleteOldEvents(ctx, tx, before, sweepBatch); err != nil {
				return err
			}
			forgotten, err := hooks.Sweep(ctx, tx, s.now(), sweepBatch)
			n = max(n, forgotten)
			return err
		})
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
