package articles

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// store is the SQL of the service. It holds nothing.
type store struct{}

const itemColumns = `i.number, i.id, i.team_id, i.user_id, COALESCE(i.group_number, 0), i.title, i.body, i.rendered, i.private, i.coediting, i.slide,
	i.comments_count, i.likes_count, i.reactions_count, i.stocks_count, i.created_at, i.updated_at`

func scanItem(s database.Scanner) (i Item, err error) {
	err = s.Scan(&i.Number, &i.ID, &i.TeamID, &i.UserID, &i.GroupNumber, &i.Title, &i.Body, &i.Rendered, &i.Private, &i.Coediting, &i.Slide,
		&i.Comments, &i.Likes, &i.Reactions, &i.Stocks, database.ScanTime(&i.CreatedAt), database.ScanTime(&i.UpdatedAt))
	return i, err
}

// missing turns an absent row into the contract's answer.
func missing[T any](v T, err error) (T, error) {
	if errors.Is(err, database.ErrNotFound) {
		return v, errNotFound()
	}
	return v, err
}

// item finds an item of the edition, without its tags.
func (store) item(ctx context.Context, q database.Querier, teamID int64, id string) (Item, error) {
	return missing(database.One(ctx, q, scanItem, `SELECT `+itemColumns+` FROM articles_items i WHERE i.id = $1 AND i.team_id = $2`, id, teamID))
}

func (store) itemByNumber(ctx context.Context, q database.Querier, number int64) (Item, error) {
	return missing(database.One(ctx, q, scanItem, `SELECT `+itemColumns+` FROM articles_items i WHERE i.number = $1`, number))
}

func (store) insertItem(ctx context.Context, q database.Querier, i Item) (number int64, err error) {
	var group *int64
	if i.GroupNumber != 0 {
		group = &i.GroupNumber
	}
	err = q.QueryRow(ctx, `INSERT INTO articles_items (id, team_id, user_id, group_number, title, body, rendered, private, coediting, slide, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING number`,
		i.ID, i.TeamID, i.UserID, group, i.Title, i.Body, i.Rendered, i.Private, i.Coediting, i.Slide, database.Time(i.CreatedAt), database.Time(i.UpdatedAt)).Scan(&number)
	return number, err
}

func (store) updateItem(ctx context.Context, q database.Querier, i Item) error {
	_, err := q.Exec(ctx, `UPDATE articles_items SET title = $1, body = $2, rendered = $3, private = $4, coediting = $5, slide = $6, updated_at = $7
		WHERE number = $8`, i.Title, i.Body, i.Rendered, i.Private, i.Coediting, i.Slide, database.Time(i.UpdatedAt), i.Number)
	return err
}

func (store) deleteItem(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_items WHERE number = $1`, number)
	return err
}

// The lists leave out private items, except those of the viewer, who may be
// nobody (0).

func (store) itemsOf(ctx context.Context, q database.Querier, teamID, userID, viewer int64, c cut) ([]Item, int64, error) {
	return pageOf(ctx, q, scanItem, `SELECT `+itemColumns, `FROM articles_items i WHERE i.user_id = $1 AND i.team_id = $2 AND (NOT i.private OR i.user_id = $3)`,
		`ORDER BY i.number DESC LIMIT $4 OFFSET $5`, c, userID, teamID, viewer)
}

func (store) itemsTagged(ctx context.Context, q database.Querier, tag, viewer int64, c cut) ([]Item, int64, error) {
	return pageOf(ctx, q, scanItem, `SELECT `+itemColumns,
		`FROM articles_taggings g JOIN articles_items i ON i.number = g.item WHERE g.tag = $1 AND (NOT i.private OR i.user_id = $2)`,
		`ORDER BY g.number DESC LIMIT $3 OFFSET $4`, c, tag, viewer)
}

// cut is the part of a list that a page shows.
type cut struct{ limit, offset int64 }

// pageOf reads one page and counts all rows. The order's two parameters follow
// those of the condition.
func pageOf[T any](ctx context.Context, q database.Querier, scan func(database.Scanner) (T, error), columns, from, order string, c cut, args ...any) ([]T, int64, error) {
	var total int64
	if err := q.QueryRow(ctx, `SELECT COUNT(*) `+from, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err := database.All(ctx, q, scan, columns+` `+from+` `+order, append(args, c.limit, c.offset)...)
	return list, total, err
}

// countItem changes one counter; the text is one of the constants below.
func (store) count(ctx context.Context, q database.Querier, statement string, by, number int64) error {
	_, err := q.Exec(ctx, statement, by, number)
	return err
}

const (
	countComments  = `UPDATE articles_items SET comments_count = comments_count + $1 WHERE number = $2`
	countTagItems  = `UPDATE articles_tags SET items_count = items_count + $1 WHERE number = $2`
	countUserItems = `INSERT INTO articles_people (items_count, user_id) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET items_count = articles_people.items_count + excluded.items_count`
)

func (store) itemsCount(ctx context.Context, q database.Querier, userID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT items_count FROM articles_people WHERE user_id = $1`, userID).Scan(&n)
	if errors.Is(err, database.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

func scanTagging(s database.Scanner) (t Tagging, err error) {
	var versions string
	if err := s.Scan(&t.Name, &versions); err != nil {
		return t, err
	}
	return t, json.Unmarshal([]byte(versions), &t.Versions)
}

// taggings lists an item's tags in the author's order.
func (store) taggings(ctx context.Context, q database.Querier, item int64) ([]Tagging, error) {
	return database.All(ctx, q, scanTagging, `SELECT t.name, g.versions FROM articles_taggings g JOIN articles_tags t ON t.number = g.tag
		WHERE g.item = $1 ORDER BY g.place, g.number`, item)
}

// search lists the items for which every term holds, the newest first. The
// statement is put together from constant pieces only.
func (store) search(ctx context.Context, q database.Querier, teamID int64, terms []term, c cut) ([]Item, int64, error) {
	from, args := `FROM articles_items i WHERE i.team_id = $1 AND NOT i.private`, []any{teamID}
	for _, t := range terms {
		args = append(args, t.value)
		from += ` AND ` + strings.ReplaceAll(t.sql, "?", "$"+strconv.Itoa(len(args)))
	}
	order := `ORDER BY i.number DESC LIMIT $` + strconv.Itoa(len(args)+1) + ` OFFSET $` + strconv.Itoa(len(args)+2)
	return pageOf(ctx, q, scanItem, `SELECT `+itemColumns, from, order, c, args...)
}
