package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/seedfile"
)

// seeds is the section of packages; for those of registries and imports there is stoa packages export.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("packages", "Packages", s.seedPackage, s.writePackages)}
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

func (s *Service) writePackages(ctx context.Context) (list []seedfile.Package, err error) {
	err = s.eachPackage(ctx, func(p catalog.Package) error { list = seedfile.Append(list, p); return nil })
	return list, err
}
