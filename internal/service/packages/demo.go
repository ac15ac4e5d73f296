package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/seedfile"
)

// demo stores a few made-up packages, so that a demo world has something to
// look up without a network.
func (s *Service) demo(ctx context.Context, _ *module.Demo) error {
	for _, p := range seedfile.Demo() {
		if err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.upsert(ctx, tx, &p, origin{}) }); err != nil {
			return err
		}
	}
	return nil
}
