package articles

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/groups"
)

// The conditions of lists, on the parameters of groups.Visibility.
const (
	itemGroupVisible = `(i.group_number IS NULL OR NOT EXISTS (` + groups.Hidden + `i.group_number))`

	itemVisible = `i.team_id = $1 AND (NOT i.private OR i.user_id = $2) AND ($3 OR ` + itemGroupVisible + `)`

	templateVisible = `p.team_id = $1 AND ($3 OR p.group_number IS NULL OR
		NOT EXISTS (` + groups.Hidden + `p.group_number))`
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

// visibleTemplate finds a template by its id, which is its number.
func (s Scope) visibleTemplate(ctx context.Context, q database.Querier, id string) (Template, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != id {
		return Template{}, errNotFound()
	}
	t, err := templateByNumber(ctx, q, s.TeamID(), number)
	if err != nil {
		return t, err
	}
	return t, s.groups.CheckVisible(ctx, q, s.viewer(), t.GroupNumber)
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
