package generate

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/generate/batches"
	"stoa.dev/stoa/internal/service/generate/files"
	"stoa.dev/stoa/internal/service/generate/requestlog"
)

const sweepKind = Name + ".sweep"

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// sweep has no payload.
type sweep struct{}

func (s *Service) jobs() []jobs.Registration {
	return slices.Concat(s.files.Jobs(), s.batches.Jobs(), []jobs.Registration{
		jobs.Define(jobs.Kind[sweep]{Name: sweepKind,
			About: "Deletes files, caches and batches that expired, ends uploads of revoked keys.",
			Safe:  true, Run: s.runSweep}),
	})
}

// sweepRows is how many rows one transaction of the sweep deletes.
const sweepRows = 200

// runSweep removes what has expired, in transactions that are short however much it is: one that is not done in the
// time of a job would be begun anew for ever, and nothing would go. The rows of files go first, then their bytes.
func (s *Service) runSweep(ctx context.Context, _ jobs.Job, _ sweep) error {
	now := s.now()
	for _, step := range []func(ctx context.Context, tx *database.Tx, now time.Time, limit int) (int, error){
		files.DeleteExpiredUploads, batches.DeleteExpired, deleteExpiredCaches, requestlog.DeleteExpired,
	} {
		if err := s.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (int, error) {
			return step(ctx, tx, now, sweepRows)
		}, nil); err != nil {
			return err
		}
	}
	var gone []files.File
	err := s.inBatches(ctx, func(ctx context.Context, tx *database.Tx) (n int, err error) {
		gone, err = files.DeleteExpired(ctx, tx, now, sweepRows)
		return len(gone), err
	}, func() error { return s.files.DeleteBytes(ctx, gone) })
	return errors.Join(err, s.files.CancelRevoked(ctx))
}

// inBatches repeats a step until it finds less than a batch, each time in a transaction of its own, after which it does
// what comes then, if anything.
func (s *Service) inBatches(
	ctx context.Context, step func(ctx context.Context, tx *database.Tx) (int, error), then func() error,
) (failed error) {
	for {
		n := 0
		err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			n, err = step(ctx, tx)
			return err
		})
		if err != nil {
			return errors.Join(failed, err)
		}
		if then != nil {
			// Bytes that cannot be deleted go when they expire, and hold up no others.
			failed = errors.Join(failed, then())
		}
		if n < sweepRows {
			return failed
		}
	}
}
