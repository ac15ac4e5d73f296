package articles

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/markdown"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
)

const (
	itemColumns = `i.number, i.id, i.team_id, i.user_id, COALESCE(i.group_number, 0), i.title, i.body, i.rendered, ` +
		itemCounters
	// itemHeadColumns leave out the texts.
	itemHeadColumns = `i.number, i.id, i.team_id, i.user_id, COALESCE(i.group_number, 0), i.title, '', '', ` +
		itemCounters
	itemCounters = `i.private, i.coediting, i.slide, i.comments_count, i.likes_count, i.reactions_count,
		i.stocks_count, i.page_views, i.created_at, i.updated_at`
)

func scanItem(s database.Scanner) (i Item, err error) {
	err = s.Scan(&i.Number, &i.ID, &i.TeamID, &i.UserID, &i.GroupNumber, &i.Title, &i.Body, &i.Rendered,
		&i.Private, &i.Coediting, &i.Slide, &i.Comments, &i.Likes, &i.Reactions, &i.Stocks, &i.Views,
		database.ScanTime(&i.CreatedAt), database.ScanTime(&i.UpdatedAt))
	return i, err
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// orNotFound turns an absent row into the contract's answer.
func orNotFound[T any](v T, err error) (T, error) {
	if errors.Is(err, database.ErrNotFound) {
		return v, errNotFound()
	}
	return v, err
}

// itemByID finds an item of the site, without its tags.
func itemByID(ctx context.Context, q database.Querier, teamID int64, id string) (Item, error) {
	return orNotFound(database.One(ctx, q, scanItem, `SELECT `+itemColumns+` FROM articles_items i
		WHERE i.id = $1 AND i.team_id = $2`, id, teamID))
}

// itemHeadByID is itemByID without the texts.
func itemHeadByID(ctx context.Context, q database.Querier, teamID int64, id string) (Item, error) {
	return orNotFound(database.One(ctx, q, scanItem, `SELECT `+itemHeadColumns+` FROM articles_items i
		WHERE i.id = $1 AND i.team_id = $2`, id, teamID))
}

// itemsByNumber finds several items at once, with their tags, in no particular order.
func itemsByNumber(ctx context.Context, q database.Querier, numbers []int64, memory *rowmemory.Memory) ([]Item, error) {
	in, args := database.In(1, numbers)
	list, err := database.All(ctx, q, rowmemory.Metered(scanItem, memory), `SELECT `+itemColumns+` FROM articles_items i
		WHERE i.number IN `+in, args...)
	if err != nil {
		return nil, err
	}
	return list, setTags(ctx, q, list)
}

// itemHeads are items without texts and tags, in no particular order.
func itemHeads(ctx context.Context, q database.Querier, numbers []int64) ([]Item, error) {
	in, args := database.In(1, numbers)
	return database.All(ctx, q, scanItem, `SELECT `+itemHeadColumns+` FROM articles_items i
		WHERE i.number IN `+in, args...)
}

// TextBytes is what a row takes of the memory for an answer.
func (i Item) TextBytes() int { return len(i.Body) + len(i.Rendered) }

// TextBytes is what a row takes of the memory for an answer.
func (c Comment) TextBytes() int { return len(c.Body) + len(c.Rendered) }

func insertItem(ctx context.Context, tx *database.Tx, i Item) (number int64, err error) {
	return singlerow.Insert(ctx, tx, "number", `INSERT INTO articles_items (id, team_id, user_id, group_number, title, body, rendered,
		private, coediting, slide, renderer, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		i.ID, i.TeamID, i.UserID, groups.OrNull(i.GroupNumber), i.Title, i.Body, i.Rendered, i.Private, i.Coediting,
		i.Slide, markdown.Version, database.Time(i.CreatedAt), database.Time(i.UpdatedAt))
}

func updateItem(ctx context.Context, q database.Querier, i Item) error {
	_, err := q.Exec(ctx, `UPDATE articles_items SET title = $1, body = $2, rendered = $3, private = $4,
		coediting = $5, slide = $6, updated_at = $7, group_number = $8, renderer = $9 WHERE number = $10`,
		i.Title, i.Body, i.Rendered, i.Private, i.Coediting, i.Slide, database.Time(i.UpdatedAt),
		groups.OrNull(i.GroupNumber), markdown.Version, i.Number)
	return err
}

func deleteItem(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_items WHERE number = $1`, number)
	return err
}

// listSiteItems lists the items of a site that are not private.
func listSiteItems(ctx context.Context, q database.Querier, teamID int64, p page.Numbers) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT i.number FROM articles_items i
		WHERE i.team_id = $1 AND NOT i.private ORDER BY i.number DESC LIMIT $2 OFFSET $3`, teamID, p.Size, p.Offset())
}

// allSiteItems are the items of a site, private ones too, the oldest first.
func allSiteItems(ctx context.Context, q database.Querier, teamID int64, limit int) ([]int64, error) {
	return database.All(ctx, q, scanNumber,
		`SELECT number FROM articles_items WHERE team_id = $1 ORDER BY number LIMIT $2`, teamID, limit)
}

func countSiteItems(ctx context.Context, q database.Querier, teamID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_items i WHERE i.team_id = $1 AND NOT i.private`, teamID).
		Scan(&n)
	return n, err
}

// addToCount changes one counter by one of the statements below.
func addToCount(ctx context.Context, q database.Querier, statement string, by, number int64) error {
	_, err := q.Exec(ctx, statement, by, number)
	return err
}

const (
	countComments  = `UPDATE articles_items SET comments_count = comments_count + $1 WHERE number = $2`
	countReactions = `UPDATE articles_items SET reactions_count = reactions_count + $1 WHERE number = $2`
	countPageViews = `UPDATE articles_items SET page_views = page_views + $1 WHERE number = $2`
	countTagItems  = `UPDATE articles_tags SET items_count = items_count + $1 WHERE number = $2`
	countUserItems = `INSERT INTO articles_people (items_count, user_id) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET items_count = articles_people.items_count + excluded.items_count`
)

// staleItems are the numbers of items that an older renderer made, found by their index.
func staleItems(ctx context.Context, q database.Querier, limit int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT i.number FROM articles_items i WHERE i.renderer < $1
		ORDER BY i.renderer, i.number LIMIT $2`, markdown.Version, limit)
}

func updateRendered(ctx context.Context, q database.Querier, number int64, rendered string) error {
	_, err := q.Exec(ctx, `UPDATE articles_items SET rendered = $1, renderer = $2 WHERE number = $3`,
		rendered, markdown.Version, number)
	return err
}
