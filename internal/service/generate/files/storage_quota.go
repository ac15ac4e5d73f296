package files

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/api"
)

// storageKey is whose storage a transaction counts.
func storageKey(userID int64) string { return "generate/" + strconv.FormatInt(userID, 10) }

// WriteCounted runs a transaction that stores more bytes of a user, files,
// cached contents or batches, unless they are too many.
func (s *Service) WriteCounted(
	ctx context.Context, userID, more int64, fn func(ctx context.Context, tx *database.Tx) error,
) error {
	return s.world.DB.WriteKeyed(ctx, storageKey(userID), func(ctx context.Context, tx *database.Tx) error {
		used, count, err := usage(ctx, tx, userID, s.now())
		switch {
		case err != nil:
			return err
		case count >= s.config.MaxFiles:
			return api.ErrQuota("you have %d files, uploads, cached contents and batches, "+
				"which is all that one caller may have; delete some or wait until they expire", count)
		case used+more > s.config.MaxStorageBytes:
			return s.errStorage()
		}
		return fn(ctx, tx)
	})
}

func (s *Service) errStorage() *api.Error {
	return api.ErrQuota("your files, cached contents and batches would take more than %d bytes; "+
		"delete some or wait until they expire", s.config.MaxStorageBytes)
}

// WriteGrowing runs a transaction that makes something longer that a user has. It is told why that may not be, nil when
// there is storage for so many bytes more.
func (s *Service) WriteGrowing(
	ctx context.Context, userID, more int64, fn func(ctx context.Context, tx *database.Tx, full *api.Error) error,
) error {
	return s.world.DB.WriteKeyed(ctx, storageKey(userID), func(ctx context.Context, tx *database.Tx) error {
		used, _, err := usage(ctx, tx, userID, s.now())
		switch {
		case err != nil:
			return err
		case more > 0 && used+more > s.config.MaxStorageBytes:
			return fn(ctx, tx, s.errStorage())
		}
		return fn(ctx, tx, nil)
	})
}
