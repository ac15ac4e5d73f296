package packages

import (
	"context"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// maxSimilar bounds a list of similar names.
const maxSimilar = 100

// GetSimilarlyNamedPackages are the packages whose names are easily mistaken
// for this one.
func (s *Service) GetSimilarlyNamedPackages(
	ctx context.Context, k catalog.PackageKey,
) (catalog.PackageKey, []catalog.PackageKey, error) {
	if _, err := s.GetPackage(ctx, k, document.V3Alpha); err != nil {
		return k, nil, err
	}
	k = k.Canonical()
	list, err := similarPackages(ctx, s.world.DB, k, maxSimilar)
	return k, list, err
}
