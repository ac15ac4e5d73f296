package tasks

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

// sweepKind is the job that removes the rows of tasks that were deleted long ago.
const sweepKind = Name + ".sweep"

type sweepPayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[sweepPayload]{
		Name:        sweepKind,
		About:       "Removes the rows of tasks that were deleted long ago.",
		MaxAttempts: 3, Concurrency: 1,
		Run: func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.sweep(ctx) },
	})}
}

// start writes the schedule of the sweep.
func (s *Service) start(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@daily", Kind: sweepKind, Payload: sweepPayload{},
	})
}

// sweepBatch is how many tasks one transaction removes.
const sweepBatch = 500

// sweep removes the tasks that were deleted longer than DeletedLife ago, of one user
// after the other, so that no transaction is long.
func (s *Service) sweep(ctx context.Context) error {
	before := s.now().Add(-s.config.DeletedLife)
	for after := int64(0); ; {
		userID, found, err := userWithDeleted(ctx, s.world.DB, after, before)
		if err != nil || !found {
			return err
		}
		var gone int64
		err = s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
			gone, err = s.purge(ctx, tx, userID, before, sweepBatch)
			return err
		})
		if err != nil {
			return err
		}
		if gone < sweepBatch {
			after = userID
		}
	}
}
