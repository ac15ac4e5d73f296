package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/packages/seedfile"
)

// seeds is the section of packages. They are not written here: stoa packages export
// keeps all that is known about them.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("packages", "Packages", s.seedPackage, nil)}
}

func (s *Service) seedPackage(ctx context.Context, _ *seed.Run, in seedfile.Package) error {
	p, err := in.Catalog()
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return s.upsert(ctx, tx, &p, origin{})
	})
}
