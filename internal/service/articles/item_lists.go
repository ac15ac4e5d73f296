package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
)

// OwnItems lists all items of the caller, by number.
func (s Scope) OwnItems(ctx context.Context, p page.Numbers) ([]int64, int64, error) {
	own := groups.Visibility{Viewer: s.viewer(), All: true}
	return listUserItems(ctx, s.world.DB, own, s.userID(), p)
}

// UserItems lists the items of a user that the caller may see, by number.
func (s Scope) UserItems(ctx context.Context, name string, p page.Numbers) (
	[]int64, int64, error,
) {
	return s.listByUser(ctx, name, p, listUserItems)
}

// listByUser lists items that have to do with a user and that the caller may see.
func (s Scope) listByUser(ctx context.Context, name string, p page.Numbers,
	list func(context.Context, database.Querier, groups.Visibility, int64, page.Numbers) ([]int64, int64, error),
) ([]int64, int64, error) {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.groups.Visibility(ctx, s.viewer())
	if err != nil {
		return nil, 0, err
	}
	return list(ctx, s.world.DB, v, u.ID, p)
}

// TagItems lists the items with a tag that the caller may see, by number.
func (s Scope) TagItems(ctx context.Context, name string, p page.Numbers) (
	[]int64, int64, error,
) {
	t, err := s.Tag(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.groups.Visibility(ctx, s.viewer())
	if err != nil {
		return nil, 0, err
	}
	return listTagItems(ctx, s.world.DB, v, t, p)
}

// siteItems lists what a site shows, the newest first.
func (s *Service) siteItems(ctx context.Context, teamID int64, p page.Numbers) ([]int64, int64, error) {
	total, known, generation := s.cache.Total(teamID)
	if !known {
		var err error
		if total, err = countSiteItems(ctx, s.world.DB, teamID); err != nil {
			return nil, 0, err
		}
		s.cache.PutTotal(generation, teamID, total)
	}
	list, err := listSiteItems(ctx, s.world.DB, teamID, p)
	return list, total, err
}
