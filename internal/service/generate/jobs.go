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

// runSweep removes what has expired: rows first, then bytes.
func (s *Service) runSweep(ctx context.Context, _ jobs.Job, _ sweep) error {
	var gone []files.File
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		if gone, err = files.DeleteExpired(ctx, tx, s.now()); err != nil {
			return err
		}
		if err := batches.DeleteExpired(ctx, tx, s.now()); err != nil {
			return err
		}
		if err := deleteExpiredCaches(ctx, tx, s.now()); err != nil {
			return err
		}
		return requestlog.DeleteExpired(ctx, tx, s.now())
	})
	if err != nil {
		return err
	}
	return errors.Join(s.files.DeleteBytes(ctx, gone), s.files.CancelRevoked(ctx))
}
