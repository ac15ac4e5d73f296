package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
)

// listUserItems lists the items of a user. On the public site their number is kept.
func listUserItems(ctx context.Context, q database.Querier, v groups.Visibility, userID int64, p page.Numbers) (
	[]int64, int64, error,
) {
	const from = `FROM articles_items i WHERE ` + itemVisible + ` AND i.user_id = $4`
	count := func(ctx context.Context) (int64, error) {
		if v.TeamID == 0 {
			return countUserPublic(ctx, q, v, userID)
		}
		return database.One(ctx, q, scanNumber, `SELECT COUNT(*) `+from, v.Args(userID)...)
	}
	return page.ListCounted(ctx, q, scanNumber, p, count, `SELECT i.number `+from+` ORDER BY i.number DESC`,
		v.Args(userID)...)
}

// countUserPublic is the kept number of a user's items that are not private, with the private
// ones where the viewer is the author.
func countUserPublic(ctx context.Context, q database.Querier, v groups.Visibility, userID int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT
		COALESCE((SELECT items_count FROM articles_people WHERE user_id = $2), 0) +
		(SELECT COUNT(*) FROM articles_items i
			WHERE i.user_id = $2 AND i.team_id = 0 AND i.private AND i.user_id = $1)`, v.UserID, userID)
}

// listTagItems lists the items with a tag, the one tagged last first. CROSS JOIN keeps SQLite
// from walking the items of the site instead of those of the tag.
func listTagItems(ctx context.Context, q database.Querier, v groups.Visibility, tag Tag, p page.Numbers) (
	[]int64, int64, error,
) {
	count := func(ctx context.Context) (int64, error) { return countTagVisible(ctx, q, v, tag.Number) }
	return page.ListCounted(ctx, q, scanNumber, p, count, tagItemsQuery, v.Args(tag.Number)...)
}

const tagItemsQuery = `SELECT i.number FROM articles_taggings g CROSS JOIN articles_items i
	WHERE g.tag = $4 AND i.number = g.item AND ` + itemVisible + ` ORDER BY g.number DESC`

// countTagVisible is how many items of a tag a viewer may see: the kept number of those that
// are not private, without those in groups that are hidden from the viewer, and with the
// viewer's own private ones. It does not look at the rest, which may be very many.
func countTagVisible(ctx context.Context, q database.Querier, v groups.Visibility, tag int64) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT
		COALESCE((SELECT items_count FROM articles_tags WHERE number = $4), 0) -
		(SELECT COUNT(*) FROM articles_groups h CROSS JOIN articles_items i CROSS JOIN articles_taggings g
			WHERE NOT $3 AND h.team_id = $1 AND EXISTS (`+groups.Hidden+`h.number)
			AND i.group_number = h.number AND NOT i.private AND g.item = i.number AND g.tag = $4) +
		(SELECT COUNT(*) FROM articles_items i CROSS JOIN articles_taggings g
			WHERE i.private AND i.user_id = $2 AND i.team_id = $1 AND g.item = i.number AND g.tag = $4
			AND ($3 OR `+itemGroupVisible+`))`, v.Args(tag)...)
}
