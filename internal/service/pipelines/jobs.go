package pipelines

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	pushKind  = "pipelines.push"
	sweepKind = "pipelines.sweep"
)

// pushPayload is one changed branch or tag.
type pushPayload struct {
	RepoID   int64          `json:"repo"`
	Ref      string         `json:"ref"`
	Revision string         `json:"revision"`
	Before   string         `json:"before"`
	Actor    forge.Actor    `json:"actor"`
	Commits  []forge.Commit `json:"commits,omitempty"`
}

// sweepPayload says nothing: what is due follows from the clock.
type sweepPayload struct{}

// pushWorkers is how many pushes are looked at at once; each runs git. One is
// left to others, whatever one owner pushes. maxPushes of an owner may wait; a
// push beyond that gets a failed job with the reason, because git has taken it
// already.
const (
	pushWorkers = 4
	maxPushes   = 1000
)

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[pushPayload]{
			Name: pushKind, Concurrency: pushWorkers, PerOwner: jobs.Share{Running: pushWorkers - 1, Waiting: maxPushes},
			Run: func(ctx context.Context, j jobs.Job, p pushPayload) error { return s.pushed(ctx, j.ID, p) },
		}),
		jobs.Define(jobs.Kind[sweepPayload]{
			Name: sweepKind, Safe: true,
			Run: func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.Sweep(ctx) },
		}),
	}
}

// schedule puts the clean-up on the queue.
func (s *Service) schedule(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweepPayload{}})
}

// sweepBatch is how many jobs lose their output in one transaction.
const sweepBatch = 20

// Sweep forgets what has expired: rows of artifacts, caches and workspaces,
// their bytes, what old jobs have printed, and jobs of deleted repositories.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	err := s.world.DB.WriteKeyed(ctx, "pipelines/sweep", func(ctx context.Context, tx *database.Tx) error {
		if err := deleteWishes(ctx, tx, now.Add(-wishLife)); err != nil {
			return err
		}
		if err := deleteTurns(ctx, tx); err != nil {
			return err
		}
		return deleteExpired(ctx, tx, now)
	})
	if err != nil {
		return err
	}
	if _, err := s.world.Blobs.Sweep(ctx, now); err != nil {
		return err
	}
	if err := s.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int64, error) {
		return deleteOldOutput(ctx, tx, now.Add(-s.config.OutputLife), sweepBatch)
	}); err != nil {
		return err
	}
	return s.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int64, error) {
		ids, err := orphans(ctx, tx, sweepBatch)
		for _, id := range ids {
			if err := deleteBuild(ctx, tx, id); err != nil {
				return 0, err
			}
		}
		return int64(len(ids)), err
	})
}

// inBatches repeats a step of the sweep until it finds nothing, so that no
// transaction is long.
func (s *Service) inBatches(ctx context.Context, step func(ctx context.Context, tx *database.Tx) (int64, error)) error {
	for {
		var n int64
		err := s.world.DB.WriteKeyed(ctx, "pipelines/sweep", func(ctx context.Context, tx *database.Tx) (err error) {
			n, err = step(ctx, tx)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
