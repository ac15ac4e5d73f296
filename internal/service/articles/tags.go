package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// Tags lists the tags of the site.
func (s Scope) Tags(ctx context.Context, sort string, p page.Numbers) ([]Tag, int64, error) {
	return tagging.List(ctx, s.world.DB, s.TeamID(), sort, p)
}

// Tag finds a tag whatever the case of its name.
func (s Scope) Tag(ctx context.Context, name string) (Tag, error) {
	return tagging.ByName(ctx, s.world.DB, s.TeamID(), name)
}
