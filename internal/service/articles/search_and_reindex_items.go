package articles

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/search"
)

// searchItem is an item with its tags as the index takes it.
func searchItem(i Item) search.Item {
	tags := make([]string, len(i.Tags))
	for n, t := range i.Tags {
		tags[n] = t.Name
	}
	return search.Item{
		Number: i.Number, TeamID: i.TeamID, UserID: i.UserID, GroupNumber: i.GroupNumber,
		Title: i.Title, Body: i.Body, Tags: tags,
		Private: i.Private, Coediting: i.Coediting, Slide: i.Slide,
	}
}

// reindexItems enters items in the index anew, one by one: a text may be long.
func (s *Service) reindexItems(ctx context.Context, tx *database.Tx, numbers []int64) error {
	for _, number := range numbers {
		list, err := itemsByNumber(ctx, tx, []int64{number}, nil)
		if err != nil {
			return err
		}
		for _, i := range list {
			if err := s.index.Put(ctx, tx, searchItem(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Search lists the items that a query finds, by number.
func (s Scope) Search(ctx context.Context, text string, p page.Numbers) ([]int64, int64, error) {
	q, err := search.Parse(text)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.groups.Visibility(ctx, s.viewer())
	if err != nil {
		return nil, 0, err
	}
	if q.Everything() && v.All {
		return s.siteItems(ctx, s.TeamID(), p)
	}
	f := search.Filter{TeamID: s.TeamID(), Page: p}
	if !v.All {
		f.Visible = search.Condition{
			SQL: strings.ReplaceAll(itemGroupVisible, "$2", "?"), Values: []any{v.UserID},
		}
		if f.Hidden, err = s.groups.Hidden(ctx, v, search.MaxHidden+1); err != nil {
			return nil, 0, err
		}
	}
	return s.index.Find(ctx, s.world.DB, q, f)
}
