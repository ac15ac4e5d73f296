package packages

import (
	"context"
	"strings"

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

// shape reduces a name to what remains when it is mistyped: letter case,
// separators, doubled letters and digits that look like letters go away.
func shape(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	var last rune
	for _, r := range strings.ToLower(name) {
		switch r {
		case '-', '_', '.', '/', '@', ':', ' ':
			continue
		case '0':
			r = 'o'
		case '1':
			r = 'l'
		case '5':
			r = 's'
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
