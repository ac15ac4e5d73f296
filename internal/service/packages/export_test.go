package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Put stores a package, for tests that need one without a registry.
func (s *Service) Put(ctx context.Context, p catalog.Package) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return s.upsert(ctx, tx, &p, origin{})
	})
}

// ErrorBody shows the envelope of an error, for the table test.
var ErrorBody = writeError
