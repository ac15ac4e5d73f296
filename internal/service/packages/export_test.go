package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
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

// AskFor looks for the registries of npm as requests do, n times.
func AskFor(ctx context.Context, f *machineconfig.Finder, n int) (failures []error) {
	c := DefaultConfig()
	c.Discover = DiscoverTrue
	s := newSources(c, f, registry.NewClient(registry.ClientOptions{}))
	for range n {
		_, err := s.of(ctx, catalog.NPM)
		failures = append(failures, err)
	}
	return failures
}
