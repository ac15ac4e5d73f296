package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/groups"
)

// The conditions of lists, on the parameters of groups.Visibility.
const (
	itemGroupVisible = `(i.group_number IS NULL OR NOT EXISTS (` + groups.Hidden + `i.group_number))`

	itemVisible = `i.team_id = $1 AND (NOT i.private OR i.user_id = $2) AND ($3 OR ` + itemGroupVisible + `)`
)

// visibleItem finds an item that the caller may see, without its texts.
func (s Scope) visibleItem(ctx context.Context, q database.Querier, id string) (Item, error) {
	i, err := itemHeadByID(ctx, q, s.TeamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.checkVisible(ctx, q, i)
}

// visibleItemFull is visibleItem with the texts.
func (s Scope) visibleItemFull(ctx context.Context, q database.Querier, id string) (Item, error) {
	i, err := itemByID(ctx, q, s.TeamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.checkVisible(ctx, q, i)
}

// checkVisible is not found for an item in a group that is hidden from the caller. A
// private item is in no list of others; who knows its address may read it.
func (s Scope) checkVisible(ctx context.Context, q database.Querier, i Item) error {
	return s.groups.CheckVisible(ctx, q, s.viewer(), i.GroupNumber)
}

func (s Scope) visibleComment(ctx context.Context, q database.Querier, id string) (Comment, error) {
	c, err := commentByID(ctx, q, s.TeamID(), id)
	if err != nil {
		return c, err
	}
	items, err := itemHeads(ctx, q, []int64{c.Item})
	if err != nil {
		return c, err
	}
	if len(items) == 0 {
		return c, errNotFound()
	}
	return c, s.checkVisible(ctx, q, items[0])
}
